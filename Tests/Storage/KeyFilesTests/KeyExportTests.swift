import CaptureTestSupport
import Foundation
import PosixSupport
import Testing
import ZeroMQ

@testable import KeyFiles

@Suite struct KeyExportTests {
    private let now = UTCDate(realtimeNanoseconds: 1_795_000_000_000_000_000)
    private let passphrase = "correct horse battery"

    private func export() throws -> KeyExport {
        KeyExport(rig: "barn", created: now, pair: try .generate(), registry: Array("{}".utf8))
    }

    @Test func `an export is opened with its passphrase, and holds what it was made of`() throws {
        let export = try export()
        let opened = try KeyExport(opening: try export.sealed(with: passphrase), with: passphrase)
        #expect(opened.rig == "barn" && opened.registry == Array("{}".utf8))
        #expect(
            opened.pair.publicKey == export.pair.publicKey && opened.pair.secretKey.bytes == export.pair.secretKey.bytes
        )
    }

    @Test func `a file that an independent program wrote is opened`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Exports/version-1.json")
        let opened = try KeyExport(opening: Array(try Data(contentsOf: file)), with: passphrase)
        #expect(opened.rig == "barn" && opened.created == "2026-11-18T07:06:40Z")
        #expect(opened.registry == Array("{}".utf8))
        // The keys of Bob in RFC 7748, section 6.1.
        let hexadecimal = opened.pair.publicKey.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        #expect(hexadecimal.joined() == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    }

    @Test func `an export does not contain its key in the clear`() throws {
        let export = try export()
        let text = String(decoding: try export.sealed(with: passphrase), as: UTF8.self)
        #expect(!text.contains(export.pair.secretKey.z85) && !text.contains("barn"))
    }

    @Test func `another passphrase opens nothing, and no byte may have changed`() throws {
        let sealed = try export().sealed(with: passphrase)
        #expect(throws: KeyExportError.notOpened) { try KeyExport(opening: sealed, with: passphrase + " ") }
        let document = try #require(try JSONSerialization.jsonObject(with: Data(sealed)) as? [String: Any])
        let text = try #require(document["sealed"] as? String)
        var box = try #require(Data(base64Encoded: text))
        for index in [0, box.count / 2, box.count - 1] {
            box[index] ^= 1
            var changed = document
            changed["sealed"] = box.base64EncodedString()
            let bytes = Array(try JSONSerialization.data(withJSONObject: changed))
            #expect(throws: KeyExportError.notOpened) { try KeyExport(opening: bytes, with: passphrase) }
            box[index] ^= 1
        }
    }

    @Test func `a short passphrase, another file, a later version and absurd costs are refused`() throws {
        let export = try export()
        #expect(throws: KeyExportError.shortPassphrase) { try export.sealed(with: "elevenchars") }
        #expect(throws: KeyExportError.self) { try KeyExport(opening: Array("no export".utf8), with: passphrase) }
        let sealed = String(decoding: try export.sealed(with: passphrase), as: UTF8.self)
        let later = sealed.replacing(#""caprigKeys" : 1"#, with: #""caprigKeys" : 2"#)
        #expect(throws: KeyExportError.laterVersion(2)) { try KeyExport(opening: Array(later.utf8), with: passphrase) }
        let costly = sealed.replacing(#""n" : 131072"#, with: #""n" : 1073741824"#)
        #expect(throws: KeyExportError.self) { try KeyExport(opening: Array(costly.utf8), with: passphrase) }
    }

    @Test func `a lost key is restored, and another one is never replaced`() throws {
        let folder = try TemporaryFolder()
        let pair = try CurveKeyPair.generate()
        let file = try KeyFile("coordinator.key_secret", in: folder.path + "/keys", environment: [:])
        try file.restore(pair, holder: "coordinator of rig barn", now: now)
        #expect(try file.load().publicKey == pair.publicKey)
        try file.restore(pair, holder: "coordinator of rig barn", now: now)
        let other = try CurveKeyPair.generate()
        #expect { try file.restore(other, holder: "coordinator of rig barn", now: now) } throws: {
            ($0 as? KeyFileError)?.code == .inUse
        }
        #expect(try file.load().publicKey == pair.publicKey)
    }
}
