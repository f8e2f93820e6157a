package httpd_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// TestCallerOf: a request without a caller may do nothing.
func TestCallerOf(t *testing.T) {
	t.Parallel()
	if c := httpd.CallerOf(t.Context()); c.Name != "" || c.Scope.Allows(hippo.RightRead) {
		t.Errorf("without one the caller is %+v", c)
	}
	ctx := httpd.WithCaller(t.Context(), httpd.Caller{Name: "reader", Scope: hippo.Scope{Rights: hippo.RightRead}})
	if c := httpd.CallerOf(ctx); c.Name != "reader" || !c.Scope.Allows(hippo.RightRead) || c.Scope.Allows(hippo.RightWrite) {
		t.Errorf("the caller is %+v", c)
	}
}
