import CaptureTestSupport
import Foundation
import OpenSSL
import Testing

@Suite(.enabled(if: ExternalTool.isExpected("openssl"))) struct CertificateTests {
    private let folder: TemporaryFolder
    private let key: P256PrivateKey
    /// 2027-01-15T08:00:00Z.
    private static let start: Int64 = 1_800_000_000

    init() throws {
        folder = try TemporaryFolder()
        key = try P256PrivateKey()
    }

    private func make(
        _ commonName: String = "rig.example", names: [Certificate.SubjectName] = [.dns("rig.example")],
        seconds: Int64 = 86_400
    ) throws -> Certificate {
        try Certificate.selfSigned(
            by: key, commonName: commonName, names: names, notBefore: Self.start, notAfter: Self.start + seconds)
    }

    /// Runs `openssl` on the certificate, whose path replaces `FILE`.
    private func run(_ certificate: Certificate, _ arguments: [String]) throws -> ExternalTool.Outcome {
        let path = "\(folder.path)/certificate.pem"
        try Data(certificate.pem).write(to: URL(filePath: path))
        return try ExternalTool.run(["openssl"] + arguments.map { $0 == "FILE" ? path : $0 })
    }

    /// Returns what `openssl` prints.
    private func openssl(_ certificate: Certificate, _ arguments: String...) throws -> String {
        let outcome = try run(certificate, arguments)
        try #require(outcome.status == 0, "\(outcome.output)")
        return outcome.output
    }

    /// Whether `openssl` lets a server use the certificate for a name at a time.
    private func isValid(_ certificate: Certificate, _ option: String, _ name: String, at time: Int64) throws -> Bool {
        try run(
            certificate,
            [
                "verify", "-check_ss_sig", "-purpose", "sslserver", option, name, "-attime", "\(time)", "-CAfile",
                "FILE", "FILE",
            ]
        ).status == 0
    }

    @Test func `OpenSSL shows what it was made of`() throws {
        let made = try make(names: [
            .dns("rig.example"), .dns("a,DNS:b"), .address([192, 0, 2, 7]),
            .address([0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]),
        ])
        let text = try openssl(made, "x509", "-in", "FILE", "-noout", "-text", "-certopt", "no_pubkey,no_sigdump")
        for line in [
            "Version: 3 (0x2)", "Signature Algorithm: ecdsa-with-SHA256", "Issuer: CN = rig.example",
            "Subject: CN = rig.example", "Not Before: Jan 15 08:00:00 2027 GMT", "Not After : Jan 16 08:00:00 2027 GMT",
            "X509v3 Basic Constraints: critical\n                CA:FALSE",
            "X509v3 Key Usage: critical\n                Digital Signature\n",
            "X509v3 Extended Key Usage: \n                TLS Web Server Authentication\n",
            "X509v3 Subject Alternative Name: \n                DNS:rig.example, DNS:a,DNS:b, "
                + "IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:1",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        #expect(text.components(separatedBy: "X509v3 ").count - 1 == 5, "four extensions and their title: \(text)")
    }

    @Test(arguments: [86_400, 825 * 86_400, 40 * 365 * 86_400] as [Int64])
    func `It verifies for a server of its names as long as it is valid`(seconds: Int64) throws {
        let made = try make(names: [.dns("rig.example"), .address([192, 0, 2, 7])], seconds: seconds)
        for (option, name) in [("-verify_hostname", "rig.example"), ("-verify_ip", "192.0.2.7")] {
            for time in [Self.start, Self.start + seconds - 1] { #expect(try isValid(made, option, name, at: time)) }
            for time in [Self.start - 1, Self.start + seconds + 1] {
                #expect(try !isValid(made, option, name, at: time))
            }
        }
        #expect(try !isValid(made, "-verify_hostname", "other.example", at: Self.start))
        #expect(try !isValid(made, "-verify_ip", "192.0.2.8", at: Self.start))
        #expect(try made.notAfter == Self.start + seconds)
    }

    @Test func `It is read as it was written`() throws {
        let names: [Certificate.SubjectName] = [.dns("rig.example"), .address([192, 0, 2, 7])]
        let made = try make(names: names)
        let read = try Certificate(pem: try made.pem)
        #expect(read.names == names && read.names == made.names)
        #expect(try read.pem == made.pem && read.notAfter == made.notAfter)
        #expect(try read.notBefore == Self.start && read.notAfter == Self.start + 86_400)
        #expect(read.isFor(key))
        #expect(try !read.isFor(P256PrivateKey()))
    }

    @Test func `Serial numbers are positive, of 20 bytes, and differ`() throws {
        var seen: Set<String> = []
        for _ in 0..<20 {
            let text = try openssl(try make(), "x509", "-in", "FILE", "-noout", "-serial")
            let digits = try #require(text.split(separator: "=").last).trimmingCharacters(in: .newlines)
            #expect(digits.count == 40 && ("4"..."7").contains(digits.prefix(1)), "\(digits)")
            seen.insert(digits)
        }
        #expect(seen.count == 20)
    }

    @Test func `A name that a certificate cannot have is refused`() {
        for name in ["", String(repeating: "x", count: 65)] {
            let error = #expect(throws: OpenSSLError.self) { try make(name) }
            #expect(error?.description.hasPrefix("OpenSSL cannot make a certificate: ") == true)
        }
    }

    @Test func `A chain is read in its order, with what is between its certificates`() throws {
        let (leaf, issuer) = (try make("leaf").pem, try make("issuer").pem)
        let chain = try Certificate.chain(pem: Array("subject=leaf\n".utf8) + leaf + key.pem + issuer)
        #expect(try chain.map { try $0.pem } == [leaf, issuer])
        #expect(try Certificate.chain(pem: leaf + issuer.dropLast(60)).count == 1)
        #expect(throws: OpenSSLError.self) { try Certificate.chain(pem: []) }
    }

    @Test func `Bytes that are not a certificate are refused`() throws {
        let made = try make().pem
        for bytes in [[], Array("no certificate".utf8), Array(made.dropLast(60)), try key.pem] {
            let error = #expect(throws: OpenSSLError.self) { try Certificate(pem: bytes) }
            #expect(error?.description.hasPrefix("OpenSSL cannot read a certificate: ") == true)
        }
    }

    @Test func `A certificate without names has none`() throws {
        let path = "\(folder.path)/plain.pem"
        let outcome = try ExternalTool.run(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-out", path, "-subj",
            "/CN=x", "-days", "1")
        try #require(outcome.status == 0, "\(outcome.output)")
        let read = try Certificate(pem: Array(try Data(contentsOf: URL(filePath: path))))
        #expect(read.names.isEmpty && !read.isFor(key))
    }
}
