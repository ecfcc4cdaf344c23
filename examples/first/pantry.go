package main

import "sync"

// Item is what lies in a place: the arguments of one tool, the result of another.
type Item struct {
	Place string `json:"place" desc:"Where it goes" enum:"fridge|shelf"`
	Name  string `json:"name" desc:"What it is" min:"1" max:"100"`
	Count int    `json:"count,omitempty" desc:"How many; 1 if left out" min:"1" max:"99"`
}

// pantry is the world that the tools act on. The gate runs reads beside each
// other, and several conversations may share it.
type pantry struct {
	mu    sync.Mutex
	items []Item
}

func (p *pantry) put(i Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i.Count = max(i.Count, 1)
	p.items = append(p.items, i)
}

func (p *pantry) list(place string) []Item {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := []Item{} // not nil: nothing there is [], and not null
	for _, i := range p.items {
		if i.Place == place {
			found = append(found, i)
		}
	}
	return found
}
