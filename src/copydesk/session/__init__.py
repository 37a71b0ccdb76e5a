"""Work with a service, without drawing: reads, writes, outbox, undo and runs."""
