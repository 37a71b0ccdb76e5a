-- Whether a tree is named, found without reading every revision.

CREATE INDEX revision_tree ON revision(tree_hash);
