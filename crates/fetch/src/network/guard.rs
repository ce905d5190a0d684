//! Decides which IP addresses may be connected to: those of the public internet, and those that the operator allows.
//!
//! A page can link to any host, and a host name can point at any address, such as one of the operator's own network. So
//! addresses are checked right before each connection. This module does no I/O: `resolver` applies it to names, and
//! `client` to addresses in URLs.

use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;
use std::sync::LazyLock;

use ipnet::IpNet;

use Forbidden::{LinkLocal, Loopback, Metadata, NoHost, Private, Reserved};

/// Networks that are allowed besides the public internet, or in its place. Link-local and metadata addresses are never
/// allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrivateAccess {
    /// Whether this machine (127.0.0.0/8 and ::1) is allowed.
    pub loopback: bool,
    /// A network that is allowed, such as an intranet.
    pub network: Option<Network>,
    /// Whether the public internet is not allowed.
    pub private_only: bool,
}

impl PrivateAccess {
    /// Only the public internet.
    pub const NONE: Self = Self { loopback: false, network: None, private_only: false };
}

/// An address range, as in `10.1.0.0/16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

/// A text that is not an address range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a network; write an address and a prefix length, for example 10.1.0.0/16 or fd12:3456::/32")]
pub struct NetworkError(String);

/// An address that must not be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{address} is {reason}")]
pub struct GuardRefusal {
    /// The address.
    pub address: IpAddr,
    /// Why the address is not allowed.
    pub reason: Forbidden,
}

/// Why an address is not allowed. Usually it is not on the public internet. If a crawl is limited to private addresses,
/// it may also be a public address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// This machine.
    #[error("a loopback address")]
    Loopback,
    /// An internal network (RFC 1918, RFC 6598 for carriers, RFC 4193 for IPv6).
    #[error("a private address")]
    Private,
    /// An address of the local network link (RFC 3927, RFC 4291).
    #[error("a link-local address")]
    LinkLocal,
    /// A metadata service, where a cloud gives its machines their credentials.
    #[error("a metadata address")]
    Metadata,
    /// Reserved: documentation, benchmarks, tunnels, future use (IANA special-purpose registries).
    #[error("a reserved address")]
    Reserved,
    /// The public internet, where the operator must be reachable and the delay at least a second.
    #[error(
        "public: with a delay under 1 s, or with an example as its contact, a crawl may request private addresses only"
    )]
    Public,
    /// Not the address of a single machine: unspecified, multicast, broadcast.
    #[error("no address of a single host")]
    NoHost,
}

/// Checks an IP address. If an IPv6 address embeds an IPv4 address, the IPv4 address is checked.
///
/// # Errors
/// When the address must not be connected to.
pub fn check(address: IpAddr, access: PrivateAccess) -> Result<(), GuardRefusal> {
    let meant = embedded(address);
    let reason = forbidden(meant).unwrap_or(Forbidden::Public);
    let opened = match reason {
        Forbidden::Public if !access.private_only => true,
        Forbidden::LinkLocal | Forbidden::Metadata | Forbidden::NoHost => false,
        Forbidden::Loopback if access.loopback => true,
        _ => access.network.is_some_and(|network| network.0.contains(&meant)),
    };
    if opened { Ok(()) } else { Err(GuardRefusal { address, reason }) }
}

impl FromStr for Network {
    type Err = NetworkError;
    fn from_str(text: &str) -> Result<Self, NetworkError> {
        text.trim().parse().map(Self).map_err(|_| NetworkError(text.to_owned()))
    }
}

/// Address ranges that are not public; the first match decides. From IANA's registries of special-purpose addresses
/// (RFC 6890), and the metadata services of Alibaba, Oracle, Amazon and compatible clouds, Azure and Google.
const SPECIAL: &[(&str, Forbidden)] = &[
    ("169.254.169.254/32", Metadata),
    ("169.254.170.2/32", Metadata),
    ("100.100.100.200/32", Metadata),
    ("192.0.0.192/32", Metadata),
    ("168.63.129.16/32", Metadata),
    ("0.0.0.0/8", NoHost),
    ("10.0.0.0/8", Private),
    ("100.64.0.0/10", Private),
    ("127.0.0.0/8", Loopback),
    ("169.254.0.0/16", LinkLocal),
    ("172.16.0.0/12", Private),
    ("192.0.0.0/24", Reserved),
    ("192.0.2.0/24", Reserved),
    ("192.88.99.0/24", Reserved),
    ("192.168.0.0/16", Private),
    ("198.18.0.0/15", Reserved),
    ("198.51.100.0/24", Reserved),
    ("203.0.113.0/24", Reserved),
    ("224.0.0.0/4", NoHost),
    ("255.255.255.255/32", NoHost),
    ("240.0.0.0/4", Reserved),
    ("fd00:ec2::254/128", Metadata),
    ("fd20:ce::254/128", Metadata),
    ("::/128", NoHost),
    ("::1/128", Loopback),
    ("fe80::/10", LinkLocal),
    ("fec0::/10", Private),
    ("fc00::/7", Private),
    ("ff00::/8", NoHost),
    ("2001::/23", Reserved),
    ("2001:db8::/32", Reserved),
    ("3fff::/20", Reserved),
];

fn forbidden(address: IpAddr) -> Option<Forbidden> {
    static RANGES: LazyLock<Vec<(IpNet, Forbidden)>> = LazyLock::new(|| {
        let parsed = |(range, reason): &(&str, Forbidden)| (range.parse().expect("a range of addresses"), *reason);
        SPECIAL.iter().map(parsed).collect()
    });
    let known = RANGES.iter().find(|(range, _)| range.contains(&address)).map(|(_, reason)| *reason);
    // Only 2000::/3 contains public IPv6 addresses.
    known.or(matches!(address, IpAddr::V6(v6) if v6.segments()[0] & 0xe000 != 0x2000).then_some(Reserved))
}

/// The IPv4 address that a gateway would connect to: the one inside a mapped (RFC 4291, section 2.5.5.2), compatible
/// (2.5.5.1), NAT64 (RFC 6052, well-known prefix) or 6to4 address (RFC 3056).
fn embedded(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let [a, b, c, d, e, f, g, h] = v6.segments();
    let v4 = |high: u16, low: u16| IpAddr::V4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0xffff) => v4(g, h),
        (0, 0, 0, 0, 0, 0) if g != 0 => v4(g, h),
        (0x64, 0xff9b, 0, 0, 0, 0) => v4(g, h),
        (0x2002, high, low, _, _, _) => v4(high, low),
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: PrivateAccess = PrivateAccess { loopback: true, ..PrivateAccess::NONE };

    fn reason(address: &str, access: PrivateAccess) -> Option<Forbidden> {
        check(address.parse().unwrap(), access).err().map(|refusal| refusal.reason)
    }

    fn open(network: &str) -> PrivateAccess {
        PrivateAccess { network: Some(network.parse().unwrap()), ..PrivateAccess::NONE }
    }

    #[test]
    fn only_the_public_internet_is_open_by_default() {
        for address in [
            "8.8.8.8",
            "93.184.216.34",
            "2606:2800:220:1::1",
            "172.15.0.1",
            "172.32.0.1",
            "100.128.0.1",
            "::ffff:8.8.8.8",
        ] {
            assert_eq!(reason(address, PrivateAccess::NONE), None, "{address} was refused");
        }
        for (address, expected) in [
            ("127.0.0.1", Loopback),
            ("127.255.255.254", Loopback),
            ("::1", Loopback),
            ("::ffff:127.0.0.1", Loopback),
            ("::127.0.0.1", Loopback),
            ("64:ff9b::7f00:1", Loopback),
            ("2002:7f00:1::", Loopback),
            ("10.0.0.1", Private),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("192.168.1.1", Private),
            ("::ffff:10.0.0.1", Private),
            ("64:ff9b::a00:1", Private),
            ("100.64.0.1", Private),
            ("100.127.255.255", Private),
            ("fc00::1", Private),
            ("fdff::1", Private),
            ("fec0::1", Private),
            ("169.254.0.1", LinkLocal),
            ("fe80::1", LinkLocal),
            ("febf::1", LinkLocal),
            ("::ffff:169.254.1.1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("::ffff:169.254.169.254", Metadata),
            ("100.100.100.200", Metadata),
            ("192.0.0.192", Metadata),
            ("168.63.129.16", Metadata),
            ("fd00:ec2::254", Metadata),
            ("0.0.0.0", NoHost),
            ("0.1.2.3", NoHost),
            ("::", NoHost),
            ("224.0.0.1", NoHost),
            ("ff02::1", NoHost),
            ("255.255.255.255", NoHost),
            ("240.0.0.1", Reserved),
            ("192.0.2.1", Reserved),
            ("198.18.0.1", Reserved),
            ("203.0.113.9", Reserved),
            ("2001:db8::1", Reserved),
            ("2001::1", Reserved),
            ("64:ff9b:1::1", Reserved),
            ("4000::1", Reserved),
        ] {
            assert_eq!(reason(address, PrivateAccess::NONE), Some(expected), "{address}");
        }
    }

    #[test]
    fn allowing_loopback_allows_no_other_private_address() {
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(reason(address, LOOPBACK), None, "{address}");
        }
        for address in ["10.0.0.1", "192.168.0.1", "169.254.169.254", "fe80::1", "0.0.0.0"] {
            assert!(reason(address, LOOPBACK).is_some(), "{address} was let through");
        }
    }

    #[test]
    fn private_networks_can_replace_the_public_internet() {
        let only = |access| PrivateAccess { private_only: true, ..access };
        assert_eq!(reason("8.8.8.8", only(LOOPBACK)), Some(Forbidden::Public));
        assert_eq!(reason("127.0.0.1", only(LOOPBACK)), None);
        assert_eq!(reason("10.1.2.3", only(open("10.1.0.0/16"))), None);
        assert_eq!(reason("2606:2800:220:1::1", only(open("10.1.0.0/16"))), Some(Forbidden::Public));
    }

    #[test]
    fn allowing_a_network_allows_no_other_private_address() {
        assert_eq!(reason("10.1.2.3", open("10.1.0.0/16")), None);
        assert_eq!(reason("::ffff:10.1.2.3", open("10.1.0.0/16")), None);
        assert_eq!(reason("10.2.0.1", open("10.1.0.0/16")), Some(Private));
        assert_eq!(reason("127.0.0.1", open("10.1.0.0/16")), Some(Loopback));
        assert_eq!(reason("fd12:3456::1", open("fd12:3456::/32")), None);
        assert_eq!(reason("fd12:3457::1", open("fd12:3456::/32")), Some(Private));
    }

    #[test]
    fn link_local_and_metadata_addresses_are_never_allowed() {
        for (address, network) in [
            ("169.254.1.1", "0.0.0.0/0"),
            ("169.254.169.254", "169.254.0.0/16"),
            ("100.100.100.200", "100.64.0.0/10"),
            ("fe80::1", "::/0"),
            ("fd00:ec2::254", "fd00::/8"),
            ("::ffff:169.254.169.254", "::/0"),
            ("0.0.0.0", "0.0.0.0/0"),
            ("168.63.129.16", "168.63.0.0/16"),
        ] {
            let access = PrivateAccess { loopback: true, ..open(network) };
            assert!(reason(address, access).is_some(), "{address} was allowed by {network}");
        }
    }

    #[test]
    fn a_network_is_an_address_and_a_prefix() {
        assert_eq!("10.0.0.0/8".parse::<Network>().unwrap().0.to_string(), "10.0.0.0/8");
        for text in ["10.0.0.0", "10.0.0.0/33", "::/129", "intranet/8", "/8", ""] {
            assert!(text.parse::<Network>().unwrap_err().to_string().contains("10.1.0.0/16"), "{text}");
        }
    }
}
