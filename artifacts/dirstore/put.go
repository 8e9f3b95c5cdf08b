package dirstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
)

// errTaken is the cause of a Put under an id that is in use.
var errTaken = errors.New("the id is in use")

// Put implements artifacts.Store. When it returns, the artifact is on the disk
// and not only in the system's memory.
func (s *Store) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	const op = "dirstore.Put"
	if !artifacts.ValidID(id) {
		return artifacts.Info{}, fault.New(op, sdkapi.Internal, "%q is no artifact id; nothing was stored", id)
	}
	temp, about, err := s.receive(ctx, op, r)
	if err != nil {
		return artifacts.Info{}, err
	}
	about.ID, about.ContentType = id, contentType
	if err := s.keep(ctx, op, temp, about); err != nil {
		return artifacts.Info{}, err
	}
	return about.info(), nil
}

// keep publishes what was received. After an error there is nothing.
func (s *Store) keep(ctx context.Context, op, temp string, about sidecar) error {
	err := s.publish(ctx, temp, about)
	if err == nil {
		return s.inPlace(op)
	}
	switch {
	case ctx.Err() != nil:
		err = ended(op, ctx.Err())
	case errors.Is(err, errTaken):
		err = fault.New(op, sdkapi.Internal, "there is an artifact %q already; it was left as it is", about.ID).Because(err)
	default:
		err = unwritable(op, err)
	}
	_ = os.Remove(temp) // if this fails too, Sweep will do it
	return err
}

// receive writes r to a temporary file, and returns its name. After an error there is no file.
func (s *Store) receive(ctx context.Context, op string, r io.Reader) (temp string, about sidecar, err error) {
	file, err := os.CreateTemp(s.tmp, "put-*") // with filePerm
	if err != nil {
		return "", about, unwritable(op, err)
	}
	info, pieces, err := artifacts.Receive(ctx, file, r)
	about = sidecarOf(info, pieces)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		return file.Name(), about, nil
	}
	_ = os.Remove(file.Name()) // if this fails too, Sweep will do it
	if errors.As(err, new(*artifacts.SourceError)) {
		return "", about, fmt.Errorf("%s: %w", op, err) // a fault among its causes stays the caller's to see
	}
	return "", about, unwritable(op, err)
}

// publish makes the artifact visible. The sidecar comes first, under its own name: whoever creates
// it has the id, and nobody reads it before the data is there. This needs no hard links, which some
// file systems lack. After an error there is neither.
func (s *Store) publish(ctx context.Context, temp string, about sidecar) (err error) {
	if err := s.makeShard(about.ID); err != nil {
		return err
	}
	data, side := s.dataPath(about.ID), s.sidecarPath(about.ID)
	if err := writeSidecar(side, about); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(side) // left behind, it would be in nobody's way
		}
	}()
	// A rename replaces, so what a person put there by hand is looked for.
	switch _, err := os.Lstat(data); {
	case err == nil:
		return errTaken
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if err := os.Rename(temp, data); err != nil {
		return err
	}
	if err := newfile.SyncDir(s.shard(about.ID)); err != nil {
		return errors.Join(err, os.Remove(data))
	}
	return nil
}

// makeShard makes the folder for an id, unless it is there, and syncs the folder above, in which
// another Put may have made the shard just now.
func (s *Store) makeShard(id string) error {
	if err := os.Mkdir(s.shard(id), dirPerm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return newfile.SyncDir(s.dir)
}

// writeSidecar creates the sidecar, and fails with errTaken if there is one.
func writeSidecar(name string, about sidecar) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if errors.Is(err, fs.ErrExist) {
		return errors.Join(errTaken, err)
	}
	if err != nil {
		return err
	}
	return fillSidecar(file, about)
}

// fillSidecar writes and closes the file of a sidecar. After an error there is no file.
func fillSidecar(file *os.File, about sidecar) error {
	text, err := json.MarshalIndent(about, "", "  ")
	if err == nil {
		_, err = file.Write(append(text, '\n'))
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name()) // left behind, it would be in nobody's way
	}
	return err
}
