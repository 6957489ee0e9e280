//! The files of deploy/fleet, as they are.
