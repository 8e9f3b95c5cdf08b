package wasmtest

// echoDescription is the description of Echo.
const echoDescription = `{"tools":[{"name":"echo","description":"Answers with what it was called with.","inputSchema":{"type":"object"}}]}`

// Echo returns a plugin with one tool, whose name is echo. The tool returns its input: {"name":
// "echo", "arguments": {...}}. The input has at most 60 KB.
func Echo() []byte {
	const description, before, after, input = 0, 1024, 1100, 2048 // offsets in the memory of one page
	const inputLen, inputRead, outputWrite = 0, 1, 2              // indices of functions
	const opening, closing = `{"structuredContent":`, `}`
	write := func(at int, text string) []byte { return Seq(I32(at), I32(len(text)), Call(outputWrite)) }
	return Module().
		ImportFunc("windie", "input_len", "", "i").
		ImportFunc("windie", "input_read", "ii", "i").
		ImportFunc("windie", "output_write", "ii", "").
		Memory(1, 1).Export("memory", 2, 0).
		Text(description, echoDescription).Text(before, opening).Text(after, closing).
		Fn("describe", "", "", write(description, echoDescription)).
		Fn("call", "", "",
			write(before, opening),
			I32(input), I32(input), Call(inputLen), Call(inputRead), Call(outputWrite),
			write(after, closing)).
		Bytes()
}
