package query

import (
	"context"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/diff"
	"github.com/windieos/windie/sdkapi"
)

// Diff returns the differences between two images. It fails with ValidationError if their sizes
// differ.
func (s Screens) Diff(ctx context.Context, in *sdkapi.ScreenDiffRequest) (*sdkapi.ScreenDiffResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	was, before, err := s.view(ctx, in.Before, in.Reading, nil)
	if err != nil {
		return nil, fault.From(err).Renamed(imageField, beforeField)
	}
	is, after, err := s.view(ctx, in.After, in.Reading, nil)
	if err != nil {
		return nil, fault.From(err).Renamed(imageField, afterField)
	}
	var changes *diff.Changes
	err = s.Finder.scenes.WithPixels(ctx, diff.WorkingBytes, func(ctx context.Context, list ...perception.Pixels) (err error) {
		for _, p := range list {
			if err := perception.MakeOpaque(ctx, p.NRGBA); err != nil {
				return err
			}
		}
		changes, err = diff.Diff(ctx, before.Screen, after.Screen, list[0].NRGBA, list[1].NRGBA)
		return err
	}, was.Source, is.Source)
	switch {
	case fault.CodeOf(err) == sdkapi.ValidationError:
		return nil, fault.At(err, afterField, `expected an image of the same size as the image in the field "before"`)
	case err != nil:
		return nil, err
	}
	return wireChanges(was.Info, is.Info, before, after, changes, or(in.MaxResults, sdkapi.DefaultMaxChanges)), nil
}

// wireChanges converts the changes from before to after for a response. limit applies to each list
// of rows and of elements, but not to the regions and moves.
func wireChanges(was, is sdkapi.ImageInfo, before, after *View, c *diff.Changes, limit int) *sdkapi.ScreenDiffResult {
	out := &sdkapi.ScreenDiffResult{
		Before: was, After: is, Same: c.Same(), Share: fraction(c.Share), Regions: []sdkapi.Box{}, Moves: []sdkapi.Move{},
		Rows: wireRowChanges(before, after, c.Rows, limit), Elements: wireElementChanges(before, after, c.Elements, limit),
	}
	for _, r := range c.Regions {
		out.Regions = append(out.Regions, boxOf(r))
	}
	for _, m := range c.Moves {
		out.Moves = append(out.Moves, sdkapi.Move{BBox: boxOf(m.Box), By: pointOf(m.By)})
	}
	return out
}

// wireRowChanges converts changes of rows, at most limit of each kind. Each row has its index in
// its own view.
func wireRowChanges(before, after *View, c diff.Rows, limit int) (out sdkapi.RowChanges) {
	places := func(v *View) func(perception.Row) sdkapi.Row {
		at := map[string]int{}
		for i, r := range v.Rows {
			at[r.ID] = i
		}
		return func(r perception.Row) sdkapi.Row { return wireRow(at[r.ID], r) }
	}
	was, is := places(before), places(after)
	out.Appeared = firstOf(c.Appeared, limit, &out.More, is)
	out.Vanished = firstOf(c.Vanished, limit, &out.More, was)
	out.Changed = firstOf(c.Changed, limit, &out.More, func(r diff.RowChange) sdkapi.RowChanged {
		return sdkapi.RowChanged{Before: was(r.Before), After: is(r.After)}
	})
	return out
}

// wireElementChanges converts changes of elements, at most limit of each kind. The indices in c are
// those of the two views.
func wireElementChanges(before, after *View, c diff.Elements, limit int) (out sdkapi.ElementChanges) {
	was := func(i int) sdkapi.Element { return wireElement(before, i) }
	is := func(i int) sdkapi.Element { return wireElement(after, i) }
	out.Appeared = firstOf(c.Appeared, limit, &out.More, is)
	out.Vanished = firstOf(c.Vanished, limit, &out.More, was)
	out.Changed = firstOf(c.Changed, limit, &out.More, func(e diff.Change) sdkapi.ElementChanged {
		return sdkapi.ElementChanged{Before: was(e.Before), After: is(e.After), What: texts(e.What)}
	})
	return out
}

// firstOf converts the first limit entries of a list, and adds the number of the others to more.
func firstOf[T, Wire any](list []T, limit int, more *int, wire func(T) Wire) []Wire {
	*more += max(0, len(list)-limit)
	out := make([]Wire, min(len(list), limit))
	for i := range out {
		out[i] = wire(list[i])
	}
	return out
}

// texts converts a list of names to strings; an empty list becomes nil.
func texts[T ~string](list []T) (out []string) {
	for _, t := range list {
		out = append(out, string(t))
	}
	return out
}
