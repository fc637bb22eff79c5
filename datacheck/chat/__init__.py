"""What a trainer makes of a conversation: rendered text, token ids, the mask of the loss. No transformers."""
