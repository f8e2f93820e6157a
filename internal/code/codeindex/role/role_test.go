package role_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/code/codeindex/role"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, language string
		want           role.Set
	}{
		{"internal/pool/pool.go", "go", 0},
		{"internal/pool/pool_test.go", "go", role.Test},
		{"internal/retrieval/embed/embedtest/words.go", "go", role.Test},
		{"latest/version.go", "go", 0},
		{"contest/entry.go", "go", 0},
		{"testdata/input.go", "go", role.Test},
		{"testing/quick.go", "go", 0},
		{"pkg/attestation.go", "go", 0},
		{"pool/mock_pool.go", "go", role.Test},
		{"pool/mocks/pool.go", "go", role.Test},
		{"api/service.pb.go", "go", role.Generated},
		{"api/zz_generated_deepcopy.go", "go", role.Generated},
		{"api/schema_generated.go", "go", role.Generated},
		{"vendor/example.org/lib/lib_test.go", "go", role.Vendored | role.Test},
		{"third_party/lib/lib.go", "go", role.Vendored},
		{"app/test_views.py", "python", role.Test},
		{"app/views_test.py", "python", role.Test},
		{"app/conftest.py", "python", role.Test},
		{"app/tests.py", "python", role.Test},
		{"tests/helpers.py", "python", role.Test},
		{"app/protest.py", "python", 0},
		{"app/openapi_spec.py", "python", 0},
		{"schema_pb2.py", "python", role.Generated},
		{"src/cart.test.ts", "typescript", role.Test},
		{"src/cart.spec.js", "javascript", role.Test},
		{"src/__tests__/cart.js", "javascript", role.Test},
		{"src/__mocks__/fs.js", "javascript", role.Test},
		{"src/testUtils.js", "javascript", role.Test},
		{"spec/support.js", "javascript", role.Test},
		{"node_modules/left/index.js", "javascript", role.Vendored},
		{"static/app.min.js", "javascript", role.Generated},
		{"src/test/java/org/Cart.java", "java", role.Test},
		{"src/main/java/org/CartTest.java", "java", role.Test},
		{"src/main/java/org/Latest.java", "java", 0},
		{"src/androidTest/kotlin/Cart.kt", "kotlin", role.Test},
		{"Shop.Tests/Cart.cs", "csharp", role.Test},
		{"Shop/CartTests.cs", "csharp", role.Test},
		{"Shop/Form.Designer.cs", "csharp", role.Generated},
		{"Tests/ShopTests/Cart.swift", "swift", role.Test},
		{"tests/CartTest.php", "php", role.Test},
		{"spec/models/cart.rb", "ruby", role.Test},
		{"lib/cart_spec.rb", "ruby", role.Test},
		{"test/cart_test.cc", "cpp", role.Test},
		{"tests/cart.rs", "rust", role.Test},
		{"benches/cart.rs", "rust", role.Test},
		{"src/spec/parser.rs", "rust", 0},
		{"src/generated/types.rs", "rust", role.Generated},
		{"spec/protocol.md", "markdown", 0},
		{"Makefile", "", 0},
	} {
		if got := role.Of(c.path, c.language); got != c.want {
			t.Errorf("%s: got %b, want %b", c.path, got, c.want)
		}
	}
}

func TestInTests(t *testing.T) {
	t.Parallel()
	for qualified, want := range map[string]bool{"tests.reads_rows": true, "inner.tests.reads_rows": true, "test": true, "Pool.wait": false, "latest.tests_run": false} {
		if got := role.InTests(qualified); got != want {
			t.Errorf("%s: %v", qualified, got)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, within string
		want             role.Set
	}{
		{"wait until all workers have finished", "", 0},
		{"the latest attestation of a contest", "", 0},
		{"wait until all workers have finished", "internal/pool", 0},
		{"wait until all workers have finished", "internal/pool/pool_test.go", role.Test},
		{"wait until all workers have finished", "tests", role.Test},
		{"wait until all workers have finished", "internal/testdata/small", role.Test},
		{"wait until all workers have finished", "node_modules", role.Vendored},
		{"which tests cover the pool?", "", role.Test},
		{"TestPool_Wait", "", role.Test},
		{"test_pool_waits", "", role.Test},
		{"PoolTest", "", role.Test},
		{"what is in pool_test.go?", "", role.Test},
		{"benchmark of the pool", "", role.Test},
		{"fuzz targets", "", role.Test},
		{"mock server", "", role.Test},
		{"golden files, fixtures", "", role.Test},
		{"example of a pool", "", role.Test},
		{"the stub in src/__mocks__/fs.js", "", role.Test},
		{"generated client of the API", "", role.Generated},
		{"service.pb.go", "", role.Generated},
		{"the vendored tests of yaml", "", role.Vendored | role.Test},
		{"third party licences", "", role.Vendored},
		{"", "", 0},
	} {
		if got := role.Asked(c.question, c.within); got != c.want {
			t.Errorf("%q in %q: got %b, want %b", c.question, c.within, got, c.want)
		}
	}
}
