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

// errTaken is the cause of Put's error if the id is in use.
var errTaken = errors.New("the id is in use")

// Put implements artifacts.Store. When it returns, the artifact is synced to disk.
func (s *Store) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	const op = "dirstore.Put"
	if !artifacts.ValidID(id) {
		return artifacts.Info{}, fault.New(op, sdkapi.Internal, "invalid artifact id %q; nothing was stored: expected a name with an extension, such as screen-1.png", id)
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

// keep publishes a received file. After an error it deletes the file.
func (s *Store) keep(ctx context.Context, op, temp string, about sidecar) error {
	err := s.publish(ctx, temp, about)
	if err == nil {
		return s.inPlace(op)
	}
	switch {
	case ctx.Err() != nil:
		err = ended(op, ctx.Err())
	case errors.Is(err, errTaken):
		err = fault.New(op, sdkapi.Internal, "the artifact %q already exists and was not changed; choose another id", about.ID).Because(err)
	default:
		err = unwritable(op, err)
	}
	_ = os.Remove(temp) // if this fails too, Sweep deletes it
	return err
}

// receive writes r to a temporary file, and returns its path and description. After an error the
// file is deleted.
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
	_ = os.Remove(file.Name()) // if this fails too, Sweep deletes it
	if errors.As(err, new(*artifacts.SourceError)) {
		return "", about, fmt.Errorf("%s: %w", op, err) // a fault of r stays in the chain, for the caller
	}
	return "", about, unwritable(op, err)
}

// publish makes the artifact visible. It creates the sidecar first, under its final name. The process that
// creates the sidecar owns the id, and no reader opens the sidecar before the data exists. So publish
// needs no hard links, which some file systems lack. After an error neither file exists.
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
			_ = os.Remove(side) // a remaining sidecar does no harm
		}
	}()
	// A rename would replace an existing file, which a person may have put there.
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

// makeShard creates the folder for an id, and syncs its parent even if the folder exists: another
// Put may have created it just now.
func (s *Store) makeShard(id string) error {
	if err := os.Mkdir(s.shard(id), dirPerm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return newfile.SyncDir(s.dir)
}

// writeSidecar creates a sidecar. It fails with errTaken if it exists.
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

// fillSidecar writes, syncs and closes the file of a sidecar. After an error it deletes the file.
func fillSidecar(file *os.File, about sidecar) error {
	text, err := json.MarshalIndent(about, "", "  ")
	if err == nil {
		_, err = file.Write(append(text, '\n'))
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name()) // a remaining sidecar does no harm
	}
	return err
}
