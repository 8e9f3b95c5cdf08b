-- +goose Up
-- The index is made anew from the files.
DROP TABLE memory_terms;
DELETE FROM memory_chunks;
DELETE FROM memory_files;
UPDATE memory_users SET generation = generation + 1;

-- The words of each chunk in two forms, which the gateway marks: those of the language, and those as written.
CREATE VIRTUAL TABLE memory_terms USING fts5(words, content='', contentless_delete=1, prefix='10 11',
    tokenize="porter unicode61 remove_diacritics 0 categories 'L* M* N* Co'");
-- In fewer pieces an index is slower to write, and much quicker to search.
INSERT INTO memory_terms (memory_terms, rank) VALUES ('automerge', 2);

-- +goose Down
DROP TABLE memory_terms;
DELETE FROM memory_chunks;
DELETE FROM memory_files;
CREATE VIRTUAL TABLE memory_terms USING fts5(scope, stems, plain,
    content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
