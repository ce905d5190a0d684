//! goldminer
