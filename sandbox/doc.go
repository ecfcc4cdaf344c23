// Package sandbox is the seam behind tools that run outside of this process: a
// [Runner] carries out the calls of one tool within the [Limits] that the tool
// declares. Each kind of runner is a package below this one; sandboxtest holds
// what all of them promise.
//
//	runner, err := httpapi.New(spec, input, holdfast.Read, sandbox.Limits{Hosts: []string{"api.example.com:443"}}, nil)
//	tool, err := holdfast.NewTool(name, description, input, holdfast.Read, 5*time.Second, runner.Run, nil)
//
// A limit that a runner cannot hold a tool to is a fault of the declaration and
// not a wish: such a tool is not made. There is no general shell.
package sandbox
