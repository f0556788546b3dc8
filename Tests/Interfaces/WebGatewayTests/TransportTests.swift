import CaptureModel
import CaptureTestSupport
import Foundation
import KeyFiles
import Logging
import NIOCore
import RigSecurity
import SwiftASN1
import Testing
import X509

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

@Suite struct OwnCertificateTests {
    private let folder: TemporaryFolder
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func load(_ names: [String] = ["rig.example", "192.0.2.7"], daysLater days: Double = 0) throws
        -> Certificate
    {
        let own = OwnCertificate(folder: "\(folder.path)/web", names: names)
        let (chain, key) = try own.load(at: Self.now.addingTimeInterval(days * 86_400))
        _ = try TLSIdentity(chain: chain, key: key)
        return try Certificate(pemEncoded: String(decoding: chain, as: UTF8.self))
    }

    @Test func `It is made once, for the gateway's names and addresses`() throws {
        let made = try load()
        let names = try #require(try made.extensions.subjectAlternativeNames)
        #expect(names.contains(.dnsName("rig.example")))
        #expect(
            names.contains { if case .ipAddress(let address) = $0 { address.bytes == [192, 0, 2, 7] } else { false } })
        #expect(try load(daysLater: 700) == made)
    }

    @Test func `It is renewed with the same key before it ends`() throws {
        let (made, renewed) = (try load(), try load(daysLater: 800))
        #expect(renewed.notValidAfter > made.notValidAfter && renewed.publicKey == made.publicKey)
    }

    @Test func `It is made anew for a further name, but not for another address`() throws {
        let made = try load()
        #expect(try load(["rig.example", "192.0.2.8"]) == made)
        #expect(try load(["other.example"]) != made)
    }

    @Test func `Two gateways with different names take turns without a new certificate for each`() throws {
        _ = try load(["a.example", "192.0.2.7"])
        let both = try load(["b.example", "192.0.2.8"])
        #expect(try load(["a.example"]) == both)
        #expect(try load(["b.example"]) == both)
        let names = try #require(try both.extensions.subjectAlternativeNames)
        #expect(names.filter { if case .ipAddress = $0 { true } else { false } }.count == 1, "addresses are not kept")
    }

    @Test func `As many names are kept as the limit says`() throws {
        for number in 0..<(2 * OwnCertificate.nameLimit) { _ = try load(["\(number).example"]) }
        let names = try #require(try load(["last.example"]).extensions.subjectAlternativeNames)
        #expect(names.count == OwnCertificate.nameLimit && names.contains(.dnsName("last.example")))
    }

    @Test func `A folder that others may read is refused by name`() throws {
        _ = try load()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder.path)/web")
        let error = #expect(throws: KeyFileError.self) { _ = try load() }
        #expect(error?.code == .looseMode)
    }

    @Test func `A key that belongs to another certificate is refused`() throws {
        let own = try OwnCertificate(folder: "\(folder.path)/a", names: ["a"]).load(at: Self.now)
        let other = try OwnCertificate(folder: "\(folder.path)/b", names: ["b"]).load(at: Self.now)
        #expect(throws: (any Error).self) { _ = try TLSIdentity(chain: own.chain, key: other.key) }
        #expect(throws: (any Error).self) { _ = try TLSIdentity(chain: [], key: own.key) }
    }
}

@Suite(.timeLimit(.minutes(1))) struct CertificateKeeperTests {
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
