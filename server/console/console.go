// Package console is the page: chat, approvals, ledger and conversations, as one
// document with its style and script. It shows what the API under /v1 of the
// same address says and holds no state of its own.
//
//	mux.Handle("/", console.New())
//
// It needs no network beyond that address, no build step and no third-party
// file. What it shows came from models and tools, so it only ever sets text,
// never markup; what would act on a page comes escaped from the API.
package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"path"
	"strings"
)

//go:embed page.html style.css icon.svg js/*.js
var files embed.FS

// page is a file that is ready to be sent.
type page struct {
	kind, tag string
	body      []byte
}

// Handler serves the page and what belongs to it.
type Handler struct {
	document page
	assets   map[string]page
}

// New makes the handler.
func New() *Handler {
	h := &Handler{assets: map[string]page{}}
	version := sha256.New()
	var script bytes.Buffer
	scripts, err := files.ReadDir("js")
	if err != nil {
		panic("console: its own files are not there: " + err.Error())
	}
	for _, f := range scripts { // by name, which is their order
		script.Write(read("js/" + f.Name()))
	}
	for name, body := range map[string][]byte{"style.css": read("style.css"), "icon.svg": read("icon.svg"), "app.js": script.Bytes()} {
		h.assets["/assets/"+name] = newPage(name, body)
	}
	version.Write(script.Bytes())
	version.Write(read("style.css"))
	var b bytes.Buffer
	data := struct{ Version string }{hex.EncodeToString(version.Sum(nil)[:6])}
	if err := template.Must(template.ParseFS(files, "page.html")).Execute(&b, data); err != nil {
		panic("console: its own page is wrong: " + err.Error())
	}
	h.document = newPage("page.html", b.Bytes())
	return h
}

func read(name string) []byte {
	body, err := files.ReadFile(name)
	if err != nil {
		panic("console: its own file is not there: " + err.Error())
	}
	return body
}

func newPage(name string, body []byte) page {
	kinds := map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
		".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	}
	sum := sha256.Sum256(body)
	return page{kinds[path.Ext(name)], `"` + hex.EncodeToString(sum[:8]) + `"`, body}
}

// views are the addresses of the page; what stands behind them is the script's.
var views = []string{"/runs", "/approvals", "/ledger", "/calls"}

// ServeHTTP answers with the document, or with a file that it names.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "This address is only to be looked at.", http.StatusMethodNotAllowed)
		return
	}
	p, ok := h.assets[r.URL.Path]
	if !ok && isView(r.URL.Path) {
		p, ok = h.document, true
	}
	if !ok {
		http.Error(w, "There is nothing at this address.", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Type", p.kind)
	w.Header().Set("ETag", p.tag)
	if r.Header.Get("If-None-Match") == p.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(p.body)
}

func isView(at string) bool {
	if at == "/" {
		return true
	}
	for _, v := range views {
		if rest, ok := strings.CutPrefix(at, v); ok && (rest == "" || rest[0] == '/' && strings.Count(rest, "/") == 1) {
			return true
		}
	}
	return false
}
