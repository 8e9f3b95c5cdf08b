//go:build wasip1

package plugin

import (
	"errors"
	"runtime/debug"
	"unsafe"
)

// The functions below are the imports and exports of a plugin. docs/plugin-reference.md describes them.

//go:wasmimport windie input_len
func inputLen() int32

//go:wasmimport windie input_read
func inputRead(to unsafe.Pointer, n int32) int32

//go:wasmimport windie output_write
func outputWrite(from unsafe.Pointer, n int32)

//go:wasmimport windie error_write
func errorWrite(text string)

//go:wasmimport windie log
func logWrite(level int32, line string)

//go:wasmimport windie host_call
func hostDo(op string, in unsafe.Pointer, n int32) int32

//go:wasmimport windie host_read
func hostRead(to unsafe.Pointer, n int32) int32

//go:wasmexport describe
func exportDescribe() int32 {
	return answer(describe)
}

//go:wasmexport call
func exportCall() int32 {
	return answer(func() ([]byte, error) {
		input := make([]byte, inputLen())
		return call(input[:inputRead(unsafe.Pointer(unsafe.SliceData(input)), int32(len(input)))])
	})
}

// answer passes the output or the error of work to the gateway.
func answer(work func() ([]byte, error)) int32 {
	output, err := guarded(work)
	if err != nil {
		errorWrite(err.Error())
		return 1
	}
	outputWrite(unsafe.Pointer(unsafe.SliceData(output)), int32(len(output)))
	return 0
}

// guarded runs work. It converts a panic to an error and logs the stack.
func guarded(work func() ([]byte, error)) (output []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("panic: " + panicText(r))
			logWrite(int32(Failure), err.Error()+"\n"+string(debug.Stack()))
		}
	}()
	return work()
}

// panicText returns the text of a recovered value. A value that is neither an error nor a text gets a fixed text.
func panicText(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case string:
		return r
	case interface{ String() string }:
		return r.String()
	}
	return "a value that is not text"
}

// hostCall asks the gateway to perform op. A negative result is a failure; its absolute value is
// the length of the error.
func hostCall(op string, input []byte) ([]byte, error) {
	n := hostDo(op, unsafe.Pointer(unsafe.SliceData(input)), int32(len(input)))
	answer := make([]byte, max(n, -n))
	answer = answer[:hostRead(unsafe.Pointer(unsafe.SliceData(answer)), int32(len(answer)))]
	if n < 0 {
		return nil, failure(op, answer)
	}
	return answer, nil
}

// logLine writes a line to the gateway's log.
func logLine(level Level, line string) { logWrite(int32(level), line) }

// Main does nothing in WebAssembly: the gateway calls the exports directly.
func Main() {}
