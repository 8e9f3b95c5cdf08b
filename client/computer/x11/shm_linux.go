package x11

import (
	"image"

	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
	"golang.org/x/sys/unix"
)

// segment is memory shared with the server (MIT-SHM).
type segment struct {
	id   shm.Seg
	data []byte
}

// share returns shared memory of a size, or nil if the server does not support it.
func share(d *Display, size int) *segment {
	if d.extension("MIT-SHM") != nil {
		return nil
	}
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, unix.IPC_CREAT|0o600)
	if err != nil {
		return nil
	}
	s := &segment{}
	s.data, err = unix.SysvShmAttach(id, 0, 0)
	if err == nil {
		if s.id, err = shm.NewSegId(d.conn); err == nil {
			err = shm.AttachChecked(d.conn, s.id, uint32(id), false).Check()
		}
	}
	// the system frees it with its last user, even after a kill
	_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	if err != nil || !d.trusted(s) {
		if s.data != nil {
			_ = unix.SysvShmDetach(s.data)
		}
		return nil
	}
	return s
}

// fill has the server write a part of the screen to the start of the memory.
func (s *segment) fill(d *Display, part image.Rectangle) error {
	_, err := shm.GetImage(d.conn, xproto.Drawable(d.root), int16(part.Min.X), int16(part.Min.Y), uint16(part.Dx()), uint16(part.Dy()),
		^uint32(0), xproto.ImageFormatZPixmap, s.id, 0).Reply()
	return err
}

// release detaches the memory from the server and from this process. s.data must not be used
// afterwards.
func (s *segment) release(d *Display) {
	shm.Detach(d.conn, s.id)
	_ = unix.SysvShmDetach(s.data)
}
