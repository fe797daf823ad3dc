"""The controller on the network: gRPC services over the engine."""
