//! Figures for people: charts as SVG, numbers and times in words. The report and the page are made of them.

// Each face that shows figures takes some of them.
#![cfg_attr(not(feature = "cli"), allow(dead_code))]

pub mod charts;
pub mod format;
pub mod svg;
