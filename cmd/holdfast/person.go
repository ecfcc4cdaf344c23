package main

import (
	"fmt"
	"os/user"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/visible"
)

// localTenant is the tenant of everybody on this machine.
const localTenant = "local"

// localUser is who sits at this terminal.
func (a *app) localUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	for _, name := range []string{"USER", "USERNAME"} {
		if v, ok := a.env(name); ok && v != "" {
			return v
		}
	}
	return "user"
}

// principal is on whose behalf a command acts: "" the local user, P or TENANT/P.
func (a *app) principal(p string) (holdfast.Principal, error) {
	if p == "" {
		return holdfast.Principal{Tenant: localTenant, ID: a.localUser()}, nil
	}
	tenant, id, found := strings.Cut(p, "/")
	if !found {
		return holdfast.Principal{Tenant: localTenant, ID: p}, nil
	}
	if tenant == "" || id == "" {
		return holdfast.Principal{}, misused(fmt.Errorf("principal %q is neither P nor TENANT/P", p))
	}
	return holdfast.Principal{Tenant: tenant, ID: id}, nil
}

// shownPrincipal is on whose behalf a call acts, "" where nobody was named.
func shownPrincipal(p holdfast.Principal) string {
	if p.Tenant == "" {
		return visible.Line(p.ID)
	}
	return visible.Line(p.Tenant + "/" + p.ID)
}
