// Package browsertest holds the tests of the page in a real browser. It is a
// module of its own, so that what drives the browser is no dependency of the
// library.
//
// The browser is the binary that HOLDFAST_BROWSER names; scripts/browser installs
// one. Without it the tests are skipped in one line, or fail where
// HOLDFAST_REQUIRE_BROWSER is 1.
package browsertest
