//! What is asked of the engine, one file an operation.
