package server

import (
	"errors"
	"io/fs"
	"net/http"
	"os"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/exchange/far"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

// shelves returns the routes of the folders by which machines sync. Each namespace has one.
func (f *frontEnds) shelves() []httpd.Route {
	handler := &far.Server{Open: f.shelf, Explain: f.explainShelf, Now: f.Now}
	var out []httpd.Route
	for _, pattern := range far.Patterns() {
		out = append(out, httpd.Route{Pattern: pattern, Rights: hippo.RightSync, MaxBody: folder.MaxFile, Stream: true, Handler: handler})
	}
	return out
}

// shelf returns the folder of the namespace of a caller.
func (f *frontEnds) shelf(r *http.Request) (*folder.Dir, error) {
	return app.OpenShelf(f.Config.Store, httpd.CallerOf(r.Context()).Scope.Namespace)
}

// explainShelf returns what a caller may know of an error: one of the machine may name paths.
func (f *frontEnds) explainShelf(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	if !errors.As(err, &path) && !errors.As(err, &link) {
		return err.Error()
	}
	f.Log.Error("a folder by which machines sync cannot be used", "error", err)
	return wire.Discreet(hippo.CodeOf(err))
}
