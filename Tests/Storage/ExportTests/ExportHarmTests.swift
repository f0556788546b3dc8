import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import Glibc
import PosixSupport
import ShotDocuments
import StorageConformance
import Testing

@testable import Export

/// What an export could do to the library, or say wrongly of it.
@Suite struct ExportHarmTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder
    private let reader: FolderReader
    private let shot: Shot
    private let bytes = Samples.bytes(3000)

    /// A shot of two cameras, whole.
    init() async throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        reader = try FolderReader(folder: folder.path)
        let library = try Samples.library(folder)
        var shot = try Samples.shot()
        try await library.journal(shot)
        for device in ["north/cam1", "south/cam1"] {
            try await library.collect(Samples.photo(device: device), bytes)
            shot = try shot.storing(bytes, of: device)
        }
        shot.status = .complete
        try await library.journal(shot)
        self.shot = shot
    }

    private var photo: String { "\(folder.path)/\(Samples.folder())/north.cam1/photo.jpg" }

    @Test func `a file of the library is emptied where its link can be neither read nor removed`() async throws {
        let fault: FileFault = { step, path in
            path.contains("/.export-") && (step == .read || step == .remove) ? EIO : nil
        }
        let target = try ExportFolder(outside.path + "/set", fault: fault)
        var writer = ExportWriter(reader, ExportPlan(.byCamera, shots: [shot]), target, link: reader.link)
        await #expect(throws: ExportError.self) { _ = try await writer.run { _, _ in } }
        #expect(try Data(contentsOf: URL(filePath: photo)) == Data(bytes))
    }

    @Test func `the manifest in an export calls files done that it has not`() async throws {
        try Data(bytes.dropLast() + [0]).write(to: URL(filePath: photo))
        let set = outside.path + "/set"
        _ = try await reader.export([shot.id], as: .byShot, to: set, linking: false)
        let told = try ShotManifest.decode(Array(try Data(contentsOf: URL(filePath: "\(set)/\(shot.id)/shot.json"))))
        #expect(told.status == .partial)
        #expect(told.captures.map(\.phase) == [.failed, .done])
        #expect(told.captures[0].files[0].outcome == .failed)
        #expect(told.captures[0].files[0].problem?.description.contains("SHA-256") == true)
        #expect(told.captures[1] == shot.captures[1])
        #expect(try reader.shot(shot.id) == shot)
    }
}
