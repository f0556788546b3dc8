import CaptureModel
import CaptureTestSupport
import Foundation
import KeyFiles
import Logging
import NIOCore
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

@Suite struct GatewayAddressTests {
    private func address(
        _ listen: String, _ transport: GatewayTransport, hosts: [String] = [], reachable: String? = "10.0.0.9"
    ) -> String {
        var configuration = WebGateway.Configuration(movies: "/")
        (configuration.listen, configuration.transport, configuration.hosts) = (listen, transport, hosts)
        return configuration.address(port: 7780, reachable: reachable)
    }

    @Test func `A gateway on every address is found by a number that other machines reach`() {
        let own = GatewayTransport.tls(.own(folder: "/"))
        #expect(address("0.0.0.0", own) == "https://10.0.0.9:7780/")
        #expect(address("::", own, reachable: "2001:db8::9") == "https://[2001:db8::9]:7780/")
        #expect(address("192.0.2.7", own) == "https://192.0.2.7:7780/")
        #expect(address("0.0.0.0", own, hosts: ["rig.example"]) == "https://rig.example:7780/")
        #expect(address("0.0.0.0", own, reachable: nil) == "https://\(HostNames.ofThisMachine[0]):7780/")
    }

    @Test func `One with a certificate of files is found by its name`() {
        let files = GatewayTransport.tls(.files(certificate: "/c", privateKey: "/k"))
        #expect(address("0.0.0.0", files) == "https://\(HostNames.ofThisMachine[0]):7780/")
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

    /// Whether `openssl` takes a certificate that it trusts for a server's at a time.
    private func isValid(_ chain: [UInt8], daysLater days: Double) throws -> Bool {
        let path = "\(folder.path)/verified"
        try Data(chain).write(to: URL(filePath: path))
        let seconds = Int64(Self.now.timeIntervalSince1970 + days * 86_400)
        return try ExternalTool.run(
            ["openssl", "verify", "-purpose", "sslserver", "-attime", "\(seconds)", "-CAfile", path, path]
        ).status == 0
    }

    @Test(arguments: [-1.5, -400, -20_000, 825, 5_000])
    func `It is made again with the same key when the clock is outside its validity`(days: Double) throws {
        let made = try load()
        #expect(try isValid(made, daysLater: 0) && !isValid(made, daysLater: days))
        let again = try load(daysLater: days)
        #expect(try isValid(again, daysLater: days))
        #expect(try openssl(again, "-pubkey") == openssl(made, "-pubkey"))
        #expect(try load(daysLater: days) == again)
        // Once the clock is right, whatever was made at a wrong time is valid, or made again.
        #expect(try isValid(load(), daysLater: 0))
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

    private static let notYetValid =
        "the certificate or its chain is not valid yet, so browsers refuse it; check this machine's clock, or make it again"
    private static let ended =
        "the certificate or its chain is no longer valid, so browsers refuse it; check this machine's clock, or renew it"
    private static let validAgain = "the certificate is valid again"

    /// What a keeper writes to its log about validity at these times, in days from the first one: the first when it starts, each further one
    /// when the files are looked at next.
    private func validityLog(_ place: CertificatePlace, at days: [Int64]) async throws -> [CapturedLog.Line] {
        let log = CapturedLog()
        clock.stepWallClock(by: .seconds(86_400 * (days.first ?? 0)))
        let keeper = try CertificateKeeper(place, names: ["rig"], time: clock, log: log.logger)
        let following = Task { try await keeper.follow() }
        for (before, day) in zip(days, days.dropFirst()) {
            await clock.sleepers(atLeast: 1)
            clock.stepWallClock(by: .seconds(86_400 * (day - before)))
            clock.advance(by: CertificateKeeper.interval)
        }
        await clock.sleepers(atLeast: 1)
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
        return log.lines.value.filter { [Self.notYetValid, Self.ended, Self.validAgain].contains($0.message) }
    }

    /// Makes a certificate for 3 days from a day of the clock, by `openssl`, and returns it as PEM.
    private func foreign(_ name: String, from day: Int64, for days: Int64 = 3) throws -> Data {
        func text(_ day: Int64) -> String {
            let seconds = clock.wallClockPair().realtimeNanoseconds / 1_000_000_000 + day * 86_400
            return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).filter { !"-:T".contains($0) }
        }
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let configuration = """
            [ca]
            default_ca = own
            [own]
            database = \(path)/index
            new_certs_dir = \(path)
            rand_serial = yes
            default_md = sha256
            policy = any
            [any]
            commonName = supplied
            """
        try Data(configuration.utf8).write(to: URL(filePath: "\(path)/ca.cnf"))
        try Data().write(to: URL(filePath: "\(path)/index"))
        for arguments in [
            [
                "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "\(path)/key", "-out", "\(path)/csr",
                "-subj", "/CN=\(name)",
            ],
            [
                "ca", "-batch", "-selfsign", "-notext", "-config", "\(path)/ca.cnf", "-keyfile", "\(path)/key", "-in",
                "\(path)/csr",
                "-out", "\(path)/pem", "-startdate", text(day), "-enddate", text(day + days),
            ],
        ] {
            let outcome = try ExternalTool.run(["openssl"] + arguments)
            try #require(outcome.status == 0, "\(outcome.output)")
        }
        return try Data(contentsOf: URL(filePath: "\(path)/pem"))
    }

    /// Puts a certificate of ``foreign(_:from:for:)`` in place, with its key and the certificates that follow it.
    private func put(_ name: String, _ chain: Data) throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/rig.key")
        try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)/key", toPath: "\(folder.path)/rig.key")
        try chain.write(to: URL(filePath: "\(folder.path)/rig.pem"))
    }

    @Test(.enabled(if: ExternalTool.isExpected("openssl")))
    func
        `A certificate of files is used though it is not valid, and the log says so once, with the file and both ends`()
        async throws
    {
        try put("leaf", try foreign("leaf", from: 2))
        let lines = try await validityLog(place, at: [0, 1, 3, 4, 6, 7, 3, 0])
        #expect(
            lines.map(\.message) == [Self.notYetValid, Self.validAgain, Self.ended, Self.validAgain, Self.notYetValid])
        // The manual clock begins at 2027-01-15T08:00:00Z.
        #expect(
            lines.first?.metadata == [
                "certificate": "\(folder.path)/rig.pem", "clock": "2027-01-15T08:00:00Z",
                "notBefore": "2027-01-17T08:00:00Z", "notAfter": "2027-01-20T08:00:00Z",
            ])
    }

    @Test(
        .enabled(if: ExternalTool.isExpected("openssl")),
        arguments: [(-10, 5, CertificateKeeperTests.ended), (1, 9, CertificateKeeperTests.notYetValid)])
    func `A certificate whose issuer's is not valid is not either`(
        from day: Int64, days: Int64, message: String
    ) async throws {
        let leaf = try foreign("leaf", from: -1, for: 2_900_000)
        try put("leaf", leaf + (try foreign("issuer", from: day, for: days)))
        #expect(try await validityLog(place, at: [0]).map(\.message) == [message])
        try put("leaf", leaf)
        #expect(try await validityLog(place, at: [0]).isEmpty, "it ends in the year 9967")
    }

    @Test(.enabled(if: ExternalTool.isExpected("openssl")))
    func `The gateway's own certificate is made again while the gateway runs, when the clock is set`() async throws {
        let own = CertificatePlace.own(folder: "\(folder.path)/web")
        #expect(try await validityLog(own, at: [4_000, 0, -40]).isEmpty)
        let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/web/certificate.pem"))
        try bytes.write(to: URL(filePath: "\(folder.path)/verified"))
        let seconds = clock.wallClockPair().realtimeNanoseconds / 1_000_000_000
        let outcome = try ExternalTool.run([
            "openssl", "verify", "-attime", "\(seconds)", "-CAfile", "\(folder.path)/verified",
            "\(folder.path)/verified",
        ])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func `A certificate that ends because it cannot be made again is told`() async throws {
        let own = CertificatePlace.own(folder: "\(folder.path)/web")
        let log = CapturedLog()
        let keeper = try CertificateKeeper(own, names: ["rig"], time: clock, log: log.logger)
        try Data("damaged".utf8).write(to: URL(filePath: "\(folder.path)/web/certificate.key"))
        let following = Task { try await keeper.follow() }
        await clock.sleepers(atLeast: 1)
        clock.stepWallClock(by: .seconds(-2 * 86_400))
        clock.advance(by: CertificateKeeper.interval)
        #expect(await log.line(Self.notYetValid) != nil)
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
        #expect(log.lines.value.contains { $0.message == "the certificate cannot be renewed; the former stays in use" })
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
