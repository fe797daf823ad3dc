"""Where pages get a site from: the controller in this process, or one elsewhere."""
