import CaptureModel
import Glibc
import RigSecurity
import Testing

@Suite struct IPAddressTests {
    @Test(
        "Reads and writes addresses as RFC 5952 does",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
            ("2001:db8::0:1", "2001:db8::1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("::ffff:192.0.2.1", "::ffff:c000:201"),
            ("fe80::00a1", "fe80::a1"),
        ])
    func forms(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(
        "A text that is not an address is refused",
        arguments: [
            "", ".", ":", ":::", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "1.2.3.-4", "+1.2.3.4", "1..2.3",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7::8", "12345::", "g::", "1:2", ":1::2",
            "1::2:", "fe80::1%eth0", "[::1]", "::1.2.3", "1.2.3.4::", "::-1", "::+1",
            String(repeating: "1:", count: 40),
        ])
    func nonsense(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `Writes random addresses as the system's library does`() throws {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            // Many zero groups, which are what is easy to get wrong.
            let groups = (0..<8).map { _ in
                generator.next() % 3 == 0 ? UInt64.random(in: 1...0xFFFF, using: &generator) : 0
            }
            let high = groups[..<4].reduce(0) { $0 << 16 | $1 }
            let low = groups[4...].reduce(0) { $0 << 16 | $1 }
            // The library writes the last 32 bits of these as an IPv4 address.
            guard high != 0 || groups[4] != 0 else { continue }
            let address = IPAddress.v6(high: high, low: low)
            #expect(address.description == system(high, low))
            #expect(IPAddress(address.description) == address)
        }
    }

    @Test func `An IPv4 address inside IPv6 is recognized`() throws {
        #expect(try #require(IPAddress("::ffff:192.0.2.1")).unmapped == IPAddress("192.0.2.1"))
        #expect(try #require(IPAddress("::fffe:192.0.2.1")).unmapped == IPAddress("::fffe:192.0.2.1"))
    }

    private func system(_ high: UInt64, _ low: UInt64) -> String {
        let bytes = [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) }
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

@Suite struct JoinEndpointTests {
    @Test(
        "Reads host and port",
        arguments: [
            ("192.168.10.1:7715", "tcp://192.168.10.1:7715"), ("[::1]:1", "tcp://[::1]:1"),
            ("Studio-1.local:65535", "tcp://studio-1.local:65535"), ("pi4:7715", "tcp://pi4:7715"),
        ])
    func endpoints(text: String, endpoint: String) throws {
        #expect(try JoinEndpoint(text).zeroMQEndpoint == endpoint)
    }

    @Test(
        "A port that a person leaves out is the usual one",
        arguments: [
            ("192.168.10.1", "tcp://192.168.10.1:7715"), ("::1", "tcp://[::1]:7715"), ("[::1]", "tcp://[::1]:7715"),
            ("pi4", "tcp://pi4:7715"), ("pi4:80", "tcp://pi4:80"), ("[::1]:80", "tcp://[::1]:80"),
        ])
    func defaultPort(text: String, endpoint: String) throws {
        #expect(try JoinEndpoint(text, defaultPort: 7715).zeroMQEndpoint == endpoint)
    }

    @Test(arguments: ["", ":", "a b", "pi4:x", "0.0.0.0", "[host]"])
    func `What is not a host is refused, also without a port`(text: String) {
        #expect(failure { _ = try JoinEndpoint(text, defaultPort: 7715) }?.code == .badEndpoint)
    }

    @Test(
        "An endpoint to which nobody can connect is refused with the reason",
        arguments: [
            ("192.168.10.1", "names no port"), ("host:0", "1 to 65535"), ("host:65536", "1 to 65535"),
            ("host:", "1 to 65535"), ("host:+80", "1 to 65535"), ("0.0.0.0:80", "all addresses"),
            ("[::]:80", "all addresses"), ("::1:80", "brackets"), ("[fe80::1%eth0]:80", "without a zone"),
            ("[host]:80", "IPv6"), (":80", "neither"), ("1.2.3:80", "neither"), ("a b:80", "neither"),
            ("tcp://host:80", "brackets"), ("*:80", "neither"), ("höst:80", "neither"), ("", "names no port"),
        ])
    func refused(text: String, reason: String) {
        let error = failure { _ = try JoinEndpoint(text) }
        #expect(error?.code == .badEndpoint)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
}
