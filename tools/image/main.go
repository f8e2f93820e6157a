// Command image packs the image of the program as deploy/Dockerfile describes it, without an engine and without a
// network: an archive of OCI, which docker load, podman load and skopeo read. The same files give the same bytes.
//
//	go -C tools run ./image --root ../bin/image --dockerfile ../deploy/Dockerfile --out ../bin/hippo.tar
//
// The folder is what the Dockerfile copies as /image.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
)

func main() {
	root := flag.String("root", "../bin/image", "the folder with the files of the image")
	dockerfile := flag.String("dockerfile", "../deploy/Dockerfile", "what describes the image")
	out := flag.String("out", "../bin/hippo.tar", "the archive")
	arch := flag.String("arch", runtime.GOARCH, "the processor of the program")
	flag.Parse()
	if err := run(*root, *dockerfile, *out, *arch); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(root, dockerfile, out, arch string) error {
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		return err
	}
	s, err := parseStage(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", dockerfile, err)
	}
	image, err := s.build(root, arch)
	if err != nil {
		return err
	}
	if err := writeArchive(image, out); err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	fmt.Println(out, digest)
	return nil
}
