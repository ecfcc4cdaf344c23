package parcels

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Depot is the API. Safe for concurrent use.
type Depot struct {
	log  io.Writer
	mux  *http.ServeMux
	late sync.WaitGroup

	mu      sync.Mutex
	asked   map[string]int
	pickups []pickup
}

type pickup struct {
	Pickup int    `json:"pickup"`
	Number string `json:"number"`
	Day    string `json:"day"`
	Note   string `json:"note,omitempty"`
	Key    string `json:"-"`
	Gone   bool   `json:"cancelled,omitempty"`
}

// New makes a depot that tells log what it is asked and what it does.
func New(log io.Writer) *Depot {
	d := &Depot{log: log, mux: http.NewServeMux(), asked: map[string]int{}}
	d.mux.HandleFunc("GET /parcels/{number}", d.track)
	d.mux.HandleFunc("GET /pickups", d.list)
	d.mux.HandleFunc("POST /pickups", d.book)
	d.mux.HandleFunc("GET /pickups/by-key/{key}", d.find)
	d.mux.HandleFunc("DELETE /pickups/{pickup}", d.cancel)
	return d
}

// ServeHTTP answers one request.
func (d *Depot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.say("%s %s", r.Method, r.URL)
	d.mux.ServeHTTP(w, r)
}

// Close waits for what is booked late.
func (d *Depot) Close() { d.late.Wait() }

// Booked counts the pickups of a parcel: what really happened.
func (d *Depot) Booked(number string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, p := range d.pickups {
		if p.Number == number && !p.Gone {
			n++
		}
	}
	return n
}

func (d *Depot) say(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.log, format+"\n", args...)
}

func (d *Depot) track(w http.ResponseWriter, r *http.Request) {
	number := r.PathValue("number")
	d.mu.Lock()
	d.asked[number]++
	asked := d.asked[number]
	d.mu.Unlock()
	switch manner := kind(number); {
	case manner == "DOWN", manner == "BUSY" && asked <= 2:
		answer(w, http.StatusServiceUnavailable, map[string]any{"error": "overloaded"})
	case manner == "SLOW":
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	case manner == "":
		answer(w, http.StatusNotFound, map[string]any{"error": "no such parcel"})
	default:
		answer(w, http.StatusOK, map[string]any{"number": number, "status": "in the van", "comes": "14:30", "asked": asked})
	}
}

func (d *Depot) list(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	day, number := r.FormValue("day"), r.FormValue("number")
	found := []pickup{}
	for _, p := range d.pickups {
		if !p.Gone && p.Day == day && (number == "" || p.Number == number) {
			found = append(found, p)
		}
	}
	answer(w, http.StatusOK, map[string]any{"pickups": found})
}

func (d *Depot) book(w http.ResponseWriter, r *http.Request) {
	p := pickup{Key: r.Header.Get("Idempotency-Key")}
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&p); err != nil {
		answer(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
		return
	}
	switch kind(p.Number) {
	case "FULL":
		answer(w, http.StatusConflict, map[string]any{"error": "no pickup is left on " + p.Day})
	case "LOST":
		d.add(p)
		d.hangUp(w)
	case "LATE":
		d.late.Go(func() {
			time.Sleep(2 * time.Second)
			d.add(p)
		})
		d.hangUp(w)
	case "DROP":
		d.hangUp(w)
	case "HANG":
		d.add(p)
		<-r.Context().Done()
	case "":
		answer(w, http.StatusUnprocessableEntity, map[string]any{"error": "no such parcel"})
	default:
		answer(w, http.StatusCreated, d.add(p))
	}
}

// add books a pickup.
func (d *Depot) add(p pickup) pickup {
	d.mu.Lock()
	defer d.mu.Unlock()
	p.Pickup = len(d.pickups) + 1
	d.pickups = append(d.pickups, p)
	fmt.Fprintf(d.log, "booked pickup %d of %s\n", p.Pickup, p.Number)
	return p
}

func (d *Depot) find(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.pickups {
		if p.Key == r.PathValue("key") {
			answer(w, http.StatusOK, p)
			return
		}
	}
	answer(w, http.StatusNotFound, map[string]any{"error": "no such pickup"})
}

func (d *Depot) cancel(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := strconv.Atoi(r.PathValue("pickup"))
	if err != nil || n < 1 || n > len(d.pickups) || d.pickups[n-1].Gone {
		answer(w, http.StatusNotFound, map[string]any{"error": "no such pickup"})
		return
	}
	d.pickups[n-1].Gone = true
	w.WriteHeader(http.StatusNoContent)
}

// hangUp breaks the connection instead of answering.
func (d *Depot) hangUp(w http.ResponseWriter) {
	d.say("the connection breaks")
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// kind is how a parcel behaves, "" where there is no such parcel.
func kind(number string) string {
	letters := strings.TrimRight(number, "0123456789")
	if slices.Contains([]string{"GOOD", "BUSY", "DOWN", "SLOW", "FULL", "LOST", "LATE", "DROP", "HANG"}, letters) {
		return letters
	}
	return ""
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a reader that has gone away misses it
}
