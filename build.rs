//! Lets the node find the ROS libraries without `LD_LIBRARY_PATH`.
//!
//! The path must be a DT_RPATH: unlike DT_RUNPATH it also holds for what those libraries load, and
//! ROS loads its type support by name.

#[expect(clippy::disallowed_methods, reason = "cargo hands its settings over so")]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_ROS").is_none() {
        return;
    }
    println!("cargo:rerun-if-env-changed=AMENT_PREFIX_PATH");
    // Installed, the node is in lib/robot_memory/ and its type support in lib/.
    println!("cargo:rustc-link-arg=-Wl,--disable-new-dtags,-rpath,$ORIGIN/..");
    let prefixes = std::env::var("AMENT_PREFIX_PATH").unwrap_or_default();
    for prefix in prefixes.split(':').filter(|prefix| !prefix.is_empty()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{prefix}/lib");
    }
}
