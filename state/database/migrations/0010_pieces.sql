-- +goose Up
CREATE TABLE pieces (
    stream_id BIGINT NOT NULL,        -- of an event whose data does not fit into its row,
    seq       BIGINT NOT NULL,        -- which has the number of bytes there, behind a #
    piece     BIGINT NOT NULL,        -- from 0, without gaps
    data      TEXT NOT NULL,
    PRIMARY KEY (stream_id, seq, piece)
);

-- +goose Down
DROP TABLE pieces;
