import CaptureTestSupport
import Foundation
import ShotDocuments
import Testing

/// Manifests of the libraries that earlier programs have left: `Tests/Fixtures`.
@Suite struct EarlierManifestTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures")

    @Test(
        .enabled(if: ExternalTool.isExpected("xz")),
        arguments: [("settled", 9), ("open-shots", 6), ("spools", 5), ("placed", 1), ("kept", 2)])
    func `a manifest that an earlier program has written is written again bit for bit`(_ name: String, _ count: Int)
        throws
    {
        let folder = try TemporaryFolder()
        let archive = Self.fixtures.appending(path: "\(name).tar.xz").path(percentEncoded: false)
        let outcome = try ExternalTool.run(
            "tar", "-xJf", archive, "-C", folder.path, "--wildcards", "*/shot.json", "*/take.json")
        // tar fails where one of the patterns has no match.
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let manifests = paths.filter { $0.hasSuffix("/shot.json") || $0.hasSuffix("/take.json") }
        try #require(manifests.count == count, "\(outcome.output)")
        for path in manifests {
            let bytes = try folder.read(path)
            let again = try ShotManifest(shot: ShotManifest.decode(bytes)).encoded()
            #expect(String(decoding: again, as: UTF8.self) == String(decoding: bytes, as: UTF8.self), "\(path)")
        }
    }
}
