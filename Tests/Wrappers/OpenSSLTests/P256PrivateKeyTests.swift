import CaptureTestSupport
import Foundation
import OpenSSL
import Testing

@Suite(.enabled(if: ExternalTool.isExpected("openssl"))) struct P256PrivateKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs `openssl` in the folder.
    /// - Returns: What it prints.
    private func openssl(_ arguments: String...) throws -> String {
        let outcome = try ExternalTool.run(["env", "-C", folder.path, "openssl"] + arguments)
        try #require(outcome.status == 0, "\(outcome.output)")
        return outcome.output
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)")))
    }

    @Test func `A generated key is one of P-256, in PKCS 8`() throws {
        let pem = try P256PrivateKey().pem
        try Data(pem).write(to: URL(filePath: "\(folder.path)/key"))
        #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let text = try openssl("pkey", "-in", "key", "-noout", "-check", "-text")
        #expect(text.contains("Key is valid") && text.contains("NIST CURVE: P-256"))
        #expect(try P256PrivateKey().pem != pem)
    }

    @Test func `Keys of other programs are read in both forms`() throws {
        _ = try openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "sec1")
        _ = try openssl("pkcs8", "-topk8", "-nocrypt", "-in", "sec1", "-out", "pkcs8")
        let expected = try openssl("pkey", "-in", "sec1", "-pubout")
        for name in ["sec1", "pkcs8"] {
            try Data(P256PrivateKey(pem: try bytes(name)).pem).write(to: URL(filePath: "\(folder.path)/written"))
            #expect(try openssl("pkey", "-in", "written", "-pubout") == expected, "\(name)")
        }
    }

    @Test func `A key that swift-crypto wrote is written in the same way`() throws {
        let pem = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/fzWPZRS4d0JJ6CC
            EdCzL2QPQ2p5pBw6v54oPB/KYSyhRANCAAT72y4oPEZU7FkMqQiEK6SGRPlhTvUk
            Cjq7jozMvdE99Cp9JMtVXf7uWq0WTSaZ2fLsRlfRCKr0WtaHB3u38c87
            -----END PRIVATE KEY-----
            """
        #expect(String(decoding: try P256PrivateKey(pem: Array(pem.utf8)).pem, as: UTF8.self) == pem + "\n")
    }

    @Test func `A key that is read is written in the same way`() throws {
        let pem = try P256PrivateKey().pem
        #expect(try P256PrivateKey(pem: pem).pem == pem)
    }

    @Test func `Keys of other kinds, keys with a passphrase and other bytes are refused`() throws {
        _ = try openssl("genpkey", "-algorithm", "RSA", "-out", "rsa")
        _ = try openssl("ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", "p384")
        _ = try openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "plain")
        _ = try openssl("pkcs8", "-topk8", "-in", "plain", "-out", "encrypted", "-passout", "pass:secret")
        _ = try openssl("pkey", "-in", "plain", "-pubout", "-out", "public")
        for name in ["rsa", "p384", "encrypted", "public"] {
            let error = #expect(throws: OpenSSLError.self, "\(name)") { try P256PrivateKey(pem: try bytes(name)) }
            #expect(error?.description.hasPrefix("OpenSSL cannot read a private key: ") == true)
        }
        for bytes in [[], Array("no key".utf8), Array(try bytes("plain").dropLast(60))] {
            #expect(throws: OpenSSLError.self) { try P256PrivateKey(pem: bytes) }
        }
    }
}
