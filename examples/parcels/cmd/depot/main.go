// Depot serves the API behind examples/parcels.yaml on this machine, until it is
// interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/holdfast-go/holdfast/examples/parcels"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "depot:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context) error {
	depot := parcels.New(os.Stdout)
	defer depot.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:8085")
	if err != nil {
		return err
	}
	fmt.Println("The depot answers on", listener.Addr(), "until Ctrl-C.")
	server := &http.Server{Handler: depot, ReadHeaderTimeout: 5 * time.Second}
	ended := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer ended()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
