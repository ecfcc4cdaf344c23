package main

import "testing"

func TestDataFolderIsWhereEachSystemWantsIt(t *testing.T) {
	for _, row := range []struct {
		name, goos string
		env        map[string]string
		want       string
	}{
		{"the XDG folder wins", "linux", map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/home/ana"}, "/x/holdfast"},
		{"a relative XDG folder is none", "linux", map[string]string{"XDG_DATA_HOME": "x", "HOME": "/home/ana"}, "/home/ana/.local/share/holdfast"},
		{"macOS", "darwin", map[string]string{"HOME": "/Users/ana"}, "/Users/ana/Library/Application Support/holdfast"},
		{"Windows", "windows", map[string]string{"LOCALAPPDATA": "/l", "USERPROFILE": "/u"}, "/l/holdfast"},
		{"Windows without it", "windows", map[string]string{"USERPROFILE": "/u"}, "/u/AppData/Local/holdfast"},
		{"no home", "linux", nil, ""},
	} {
		a := &app{env: func(name string) (string, bool) { v, ok := row.env[name]; return v, ok }}
		got, err := a.dataDir(row.goos)
		if got != row.want || (err != nil) != (row.want == "") {
			t.Errorf("%s: dataDir(%q) = %q, %v, want %q", row.name, row.goos, got, err, row.want)
		}
	}
}
