"""Where pages get a site from: a controller's API, over gRPC or over its own link."""
