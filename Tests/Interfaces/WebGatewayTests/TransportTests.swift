import CaptureModel
import CaptureTestSupport
import Foundation
import KeyFiles
import Logging
import NIOCore
import PosixSupport
import RigSecurity
import Testing

@testable import WebGateway

@Suite struct GatewayTransportTests {
    private func admits(_ peer: String, _ transport: GatewayTransport) throws -> Bool {
        transport.admits(try SocketAddress(ipAddress: peer, port: 40_000))
    }

    @Test(arguments: ["192.0.2.1", "::ffff:192.0.2.1", "127.0.0.1", "::1"])
    func `Listed proxies and this machine may speak plain HTTP`(peer: String) throws {
        #expect(try admits(peer, .proxies([try #require(IPAddress("192.0.2.1"))])))
    }

    @Test(arguments: ["192.0.2.2", "::ffff:192.0.2.2", "2001:db8::1"])
    func `Nobody else may`(peer: String) throws {
        #expect(try !admits(peer, .proxies([try #require(IPAddress("192.0.2.1"))])))
    }

    @Test func `Everybody may speak TLS`() throws {
        #expect(try admits("2001:db8::1", .tls(.own(folder: "/"))))
    }
}

@Suite struct BuiltTransportTests {
    private let own = GatewayTransport.tls(.own(folder: "/"))
    private let files = GatewayTransport.tls(.files(certificate: "/c", privateKey: "/k"))

    @Test func `Plain HTTP is available in every build`() throws {
        for isBehindTLS in [false, true] {
            try GatewayTransport.loopback(isBehindTLS: isBehindTLS).checkAvailability()
        }
        try GatewayTransport.proxies([try #require(IPAddress("192.0.2.1"))]).checkAvailability()
    }

    #if TLS
    @Test func `TLS is available in a build with it`() throws {
        try own.checkAvailability()
        try files.checkAvailability()
    }
    #else
    @Test func `A build without TLS refuses it, and says how to have it`() throws {
        for transport in [own, files] {
            let error = #expect(throws: MissingTLS.self) { try transport.checkAvailability() }
            for word in ["make release", "--traits TLS", "--proxy", "--listen 127.0.0.1"] {
                #expect(error?.description.contains(word) == true)
            }
        }
        #expect(throws: MissingTLS.self) { _ = try TLSIdentity(chain: [], key: []) }
    }
    #endif
}

@Suite(.enabled(if: ExternalTool.isExpected("openssl"))) struct OwnCertificateTests {
    private let folder: TemporaryFolder
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func load(_ names: [String] = ["rig.example", "192.0.2.7"], daysLater days: Double = 0) throws -> [UInt8] {
        let own = OwnCertificate(folder: "\(folder.path)/web", names: names)
        let (chain, key) = try own.load(at: Self.now.addingTimeInterval(days * 86_400))
        #if TLS
        _ = try TLSIdentity(chain: chain, key: key)
        #else
        #expect(!key.isEmpty)
        #endif
        return chain
    }

    /// Returns what `openssl x509` prints of a certificate.
    private func openssl(_ chain: [UInt8], _ options: String...) throws -> String {
        let path = "\(folder.path)/certificate"
        try Data(chain).write(to: URL(filePath: path))
        let outcome = try ExternalTool.run(["openssl", "x509", "-in", path, "-noout"] + options)
        try #require(outcome.status == 0, "\(outcome.output)")
        return outcome.output
    }

    /// Returns the names of a certificate, such as `DNS:rig.example`.
    private func names(_ chain: [UInt8]) throws -> [String] {
        let lines = try openssl(chain, "-ext", "subjectAltName").split(separator: "\n")
        return try #require(lines.last).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `It is made once, for the gateway's names and addresses`() throws {
        let made = try load()
        #expect(try names(made) == ["DNS:rig.example", "IP Address:192.0.2.7"])
        #expect(try openssl(made, "-subject") == "subject=CN = rig.example\n")
        let dates = "notBefore=Jan 14 08:00:00 2027 GMT\nnotAfter=Apr 18 08:00:00 2029 GMT\n"
        #expect(try openssl(made, "-dates") == dates)
        #expect(try load(daysLater: 700) == made)
    }

    @Test func `It is renewed with the same key before it ends`() throws {
        let (made, renewed) = (try load(), try load(daysLater: 800))
        #expect(try openssl(renewed, "-enddate") == "notAfter=Jun 27 08:00:00 2031 GMT\n")
        #expect(try openssl(renewed, "-pubkey") == openssl(made, "-pubkey"))
    }

    @Test func `It is made again for a further name, but not for another address`() throws {
        let made = try load()
        #expect(try load(["rig.example", "192.0.2.8"]) == made)
        #expect(try load(["other.example"]) != made)
    }

    @Test func `Two gateways with different names take turns without a new certificate for each`() throws {
        _ = try load(["a.example", "192.0.2.7"])
        let both = try load(["b.example", "192.0.2.8"])
        #expect(try load(["a.example"]) == both)
        #expect(try load(["b.example"]) == both)
        #expect(
            try names(both) == ["DNS:b.example", "IP Address:192.0.2.8", "DNS:a.example"], "addresses are not kept")
    }

    @Test func `One that begins in the future is made again, since a clock was wrong when it was made`() throws {
        let early = try load(daysLater: 400)
        // A certificate begins a day before it is made, and its first second belongs to it.
        #expect(try load(daysLater: 399) == early)
        let made = try load(daysLater: 399 - 1 / 86_400)
        #expect(made != early)
        #expect(try openssl(made, "-startdate") == "notBefore=Feb 17 07:59:59 2028 GMT\n")
        #expect(try openssl(made, "-pubkey") == openssl(early, "-pubkey"))
    }

    @Test func `As many names are kept as the limit says`() throws {
        for number in 0..<(2 * OwnCertificate.nameLimit) { _ = try load(["\(number).example"]) }
        let names = try names(try load(["last.example"]))
        #expect(names.count == OwnCertificate.nameLimit && names.contains("DNS:last.example"))
    }

    @Test(arguments: ["", String(repeating: "é", count: 70)])
    func `Any name of a host is possible`(name: String) throws {
        let made = try load([name])
        #expect(try load([name]) == made)
    }

    @Test func `A certificate that is damaged is made again, and a key is not`() throws {
        let made = try load()
        try Data("damaged".utf8).write(to: URL(filePath: "\(folder.path)/web/certificate.pem"))
        let again = try load()
        #expect(try openssl(again, "-pubkey") == openssl(made, "-pubkey"))
        try Data("damaged".utf8).write(to: URL(filePath: "\(folder.path)/web/certificate.key"))
        #expect(throws: (any Error).self) { _ = try load() }
    }

    @Test func `A folder that others may read is refused by name`() throws {
        _ = try load()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder.path)/web")
        let error = #expect(throws: KeyFileError.self) { _ = try load() }
        #expect(error?.code == .looseMode)
    }

    #if TLS
    @Test func `A key that belongs to another certificate is refused`() throws {
        let own = try OwnCertificate(folder: "\(folder.path)/a", names: ["a"]).load(at: Self.now)
        let other = try OwnCertificate(folder: "\(folder.path)/b", names: ["b"]).load(at: Self.now)
        #expect(throws: (any Error).self) { _ = try TLSIdentity(chain: own.chain, key: other.key) }
        #expect(throws: (any Error).self) { _ = try TLSIdentity(chain: [], key: own.key) }
    }
    #endif
}

#if TLS
@Suite(.timeLimit(.minutes(10))) struct CertificateKeeperTests {
    private let folder: TemporaryFolder
    private let clock = ManualTimeSource()
    private var place: CertificatePlace {
        .files(certificate: "\(folder.path)/rig.pem", privateKey: "\(folder.path)/rig.key")
    }

    init() throws {
        folder = try TemporaryFolder()
        try put("first")
    }

    /// Puts another certificate with its key in place.
    private func put(_ name: String) throws {
        let made = try OwnCertificate(folder: "\(folder.path)/\(name)", names: [name]).load(at: Date())
        for (file, bytes) in [("rig.key", made.key), ("rig.pem", made.chain)] {
            try Data(bytes).write(to: URL(filePath: "\(folder.path)/\(file)"))
        }
    }

    @Test func `A certificate that is replaced is used within a minute, and a damaged one is not`() async throws {
        let keeper = try CertificateKeeper(place, names: [], time: clock, log: Logger(label: "test"))
        let following = Task { try await keeper.follow() }
        var seen = [keeper.identity.fingerprint]
        await clock.sleepers(atLeast: 1)
        try Data("damaged".utf8).write(to: URL(filePath: "\(folder.path)/rig.pem"))
        clock.advance(by: CertificateKeeper.interval)
        await clock.sleepers(atLeast: 1)
        #expect(keeper.identity.fingerprint == seen[0])
        try put("second")
        clock.advance(by: CertificateKeeper.interval)
        await clock.sleepers(atLeast: 1)
        seen.append(keeper.identity.fingerprint)
        #expect(Set(seen).count == 2)
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }

    @Test func `People compare the fingerprint of the gateway's own certificate only`() throws {
        let log = Logger(label: "test")
        #expect(try CertificateKeeper(place, names: [], time: clock, log: log).ownFingerprint == nil)
        let own = try CertificateKeeper(.own(folder: "\(folder.path)/web"), names: ["rig"], time: clock, log: log)
        #expect(own.ownFingerprint == own.identity.fingerprint)
    }

    @Test func `A file that cannot be used is named at the start`() throws {
        try Data().write(to: URL(filePath: "\(folder.path)/rig.pem"))
        let error = #expect(throws: UnusableCertificate.self) {
            _ = try CertificateKeeper(place, names: [], time: clock, log: Logger(label: "test"))
        }
        #expect(error?.description.contains("rig.pem") == true)
    }
}
#endif
