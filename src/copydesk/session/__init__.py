"""What is done with a service without drawing: reads, writes, outbox, undo and runs."""
