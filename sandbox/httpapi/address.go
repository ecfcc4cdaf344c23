package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
)

// hosts are what a tool may connect to. A name says which servers may be asked;
// an address says that it may be dialled though it is private. Which address a
// name stands for is looked up once for each connection, and what was checked is
// what is dialled, so that a name that changes its mind gains nothing.
type hosts struct {
	named   []string // host:port, in lower case
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)
}

// parseHost checks one declared host:port.
func parseHost(declared string) (string, error) {
	host, port, err := net.SplitHostPort(declared)
	if err != nil || host == "" {
		return "", fmt.Errorf("%q is not host:port, such as api.example.com:443", declared)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("%q has no port from 1 to 65535", declared)
	}
	if err := checkHost(host); err != nil {
		return "", err
	}
	return strings.ToLower(declared), nil
}

func checkHost(host string) error {
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	for _, r := range host {
		if r > 0x7e || r <= ' ' || strings.ContainsRune(`*/\@?#%[]{}"`, r) {
			return fmt.Errorf("host %q has %q in it; a host is written in ASCII, without wildcards", host, r)
		}
	}
	return nil
}

// target is the host:port that an address leads to, in lower case.
func target(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
		if u.Scheme == "http" {
			port = "80"
		}
	}
	return strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}

// allows reports whether the server of u may be asked.
func (h *hosts) allows(u *url.URL) error {
	if u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("scheme %q is neither https nor http", u.Scheme)
	}
	if to := target(u); !slices.Contains(h.named, to) {
		return fmt.Errorf("host %q is not declared", to)
	}
	return nil
}

// needsName reports whether host is itself an address, or localhost, that is only
// reached where the declaration names it.
func needsName(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return !public(addr)
	}
	return isLocalhost(host)
}

func isLocalhost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// permits reports whether an address may be dialled.
func (h *hosts) permits(host string, to netip.AddrPort) bool {
	if public(to.Addr()) {
		return true
	}
	if slices.Contains(h.named, strings.ToLower(to.String())) {
		return true
	}
	port := strconv.Itoa(int(to.Port()))
	return isLocalhost(host) && to.Addr().Unmap().IsLoopback() && slices.Contains(h.named, net.JoinHostPort(strings.ToLower(host), port))
}

// dialPatience is how long one of several addresses of a host may take.
const dialPatience = 5 * time.Second

// dial connects to one of the host's addresses that may be dialled. Its errors
// come before anything is sent.
func (h *hosts) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, err
	}
	addrs, err := h.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	failure := fmt.Errorf("host %q has no address that may be dialled: private addresses must be named", host)
	for _, addr := range addrs {
		to := netip.AddrPortFrom(addr, uint16(port))
		if !h.permits(host, to) {
			continue
		}
		dialer := net.Dialer{Timeout: dialPatience}
		conn, err := dialer.DialContext(ctx, network, to.String())
		if err == nil {
			return conn, nil
		}
		failure = &holdfast.TransientError{Err: fmt.Errorf("connecting to %s: %w", address, cause(err))}
	}
	return nil, failure
}

func (h *hosts) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	found, err := h.resolve(ctx, host)
	if err != nil {
		return nil, &holdfast.TransientError{Err: fmt.Errorf("looking up host %q: %w", host, cause(err))}
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	return found, nil
}

// cause is what lies under the network's errors, which repeat the address.
func cause(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		return op.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New(dns.Err)
	}
	return err
}

// lookup asks the system.
func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// notPublic are the addresses of RFC 6890 and its successors that are nobody's on
// the internet, or lead through a translation to such.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("224.0.0.0/3"), // multicast, reserved, broadcast
}

// publicV6 is what of IPv6 is given out, and excepted what of it is not, or hides
// an address of IPv4.
var (
	publicV6 = netip.MustParsePrefix("2000::/3")
	excepted = []netip.Prefix{
		netip.MustParsePrefix("2001::/23"), // Teredo, ORCHID, benchmarks
		netip.MustParsePrefix("2001:db8::/32"),
		netip.MustParsePrefix("2002::/16"), // 6to4
		netip.MustParsePrefix("3fff::/20"),
	}
)

// public reports whether an address is one of the internet's. What is not known
// to be is private.
func public(addr netip.Addr) bool {
	addr = addr.Unmap()
	holds := func(p netip.Prefix) bool { return p.Contains(addr) }
	if addr.Is4() {
		return !slices.ContainsFunc(notPublic, holds)
	}
	return addr.Zone() == "" && publicV6.Contains(addr) && !slices.ContainsFunc(excepted, holds)
}
