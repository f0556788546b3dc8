import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import Glibc
import PosixSupport
import ShotDocuments
import StorageConformance
import StorageKit
import Testing

@testable import Export

@Suite struct ExportTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder
    private let library: FolderStore
    private let reader: FolderReader
    private let bytes = Samples.bytes(3000)

    /// Two shots of two cameras; south's second still is missing.
    init() async throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        library = try Samples.library(folder)
        reader = try FolderReader(folder: folder.path)
        for number: Int64 in 1...2 {
            var shot = try Samples.shot(number)
            try await library.write(shot)
            for device in ["north/cam1", "south/cam1"] where number == 1 || device == "north/cam1" {
                try await library.collect(Samples.photo(number, device: device), bytes)
                shot = try shot.storing(bytes, of: device)
            }
            for index in shot.captures.indices where shot.captures[index].phase != .done {
                shot.captures[index].files[0].outcome = .missed
                shot.captures[index].problem = RigProblem(.notRunning, "the camera was not running")
            }
            shot.status = number == 1 ? .complete : .partial
            try await library.write(shot)
        }
    }

    private var target: String { outside.path + "/set" }

    private func export(
        _ numbers: [Int64] = [1, 2], _ layout: ExportLayout = .byCamera, linking: Bool = false
    ) async throws -> ExportReport {
        try await reader.export(numbers.map { Samples.shotID($0) }, as: layout, to: target, linking: linking)
    }

    /// Every file below the target.
    private func files() throws -> [String] {
        try #require(FileManager.default.enumerator(atPath: target)?.allObjects as? [String])
            .filter { !$0.isEmpty && (try? FileManager.default.contentsOfDirectory(atPath: "\(target)/\($0)")) == nil }
            .sorted()
    }

    private func id(_ number: Int64) -> String { Samples.shotID(number).description }

    private func photo(_ number: Int64, _ device: String = "north.cam1") -> String {
        "\(folder.path)/\(Samples.folder(number))/\(device)/photo.jpg"
    }

    @Test func `a layout puts files elsewhere than documented`() async throws {
        _ = try await export([1, 2], .byCamera)
        #expect(
            try files()
                == [
                    "export.json", "north.cam1/\(id(1)).photo.jpg", "north.cam1/\(id(2)).photo.jpg",
                    "south.cam1/\(id(1)).photo.jpg",
                ].sorted())
        try FileManager.default.removeItem(atPath: target)
        _ = try await export([1], .byShot)
        #expect(
            try files()
                == [
                    "\(id(1))/north.cam1/photo.jpg", "\(id(1))/shot.json", "\(id(1))/south.cam1/photo.jpg",
                    "export.json",
                ].sorted())
        #expect(
            try Data(contentsOf: URL(filePath: "\(target)/\(id(1))/shot.json"))
                == Data(contentsOf: URL(filePath: "\(folder.path)/\(Samples.folder(1))/shot.json")))
        try FileManager.default.removeItem(atPath: target)
        _ = try await export([1, 2], .realityCapture)
        #expect(
            try files()
                == [
                    "export.json", "\(id(1)).north.cam1.photo.jpg", "\(id(1)).north.cam1.photo.xmp",
                    "\(id(1)).south.cam1.photo.jpg", "\(id(1)).south.cam1.photo.xmp",
                    "\(id(2)).north.cam1.photo.jpg", "\(id(2)).north.cam1.photo.xmp",
                ].sorted())
    }

    @Test("Exports the raw file of a camera under its extension, where a layout takes more than stills")
    func cameraRaw() async throws {
        let key = FileKey(capture: try Samples.photo(1, device: "north/cam1").capture, kind: .cameraRaw(.nef))
        let raw = Samples.bytes(2000, seed: 3)
        try await library.collect(key, raw)
        var shot = try #require(try reader.shot(Samples.shotID(1)))
        var file = CapturedFile(kind: key.kind)
        (file.outcome, file.path) = (.done, "north.cam1/cameraRaw.nef")
        (file.byteCount, file.digest) = (Int64(raw.count), try Samples.digest(raw))
        shot.captures[0].files.append(file)
        try await library.write(shot.revised(.complete))
        for (layout, path) in [
            (ExportLayout.byShot, "\(id(1))/north.cam1/cameraRaw.nef"),
            (.byCamera, "north.cam1/\(id(1)).cameraRaw.nef"),
            (.colmap, nil),
        ] as [(ExportLayout, String?)] {
            let report = try await export([1], layout)
            #expect(report.files.first { $0.kind == key.kind }?.path == path)
            if let path { #expect(try [UInt8](Data(contentsOf: URL(filePath: "\(target)/\(path)"))) == raw) }
            try FileManager.default.removeItem(atPath: target)
        }
    }

    @Test(
        "RealityCapture is told which images are of one instant, and by which camera of the rig",
        .enabled(if: ExternalTool.isExpected("exiftool")))
    func rigOfRealityCapture() async throws {
        _ = try await export([1, 2], .realityCapture)
        let paths = try files().filter { $0.hasSuffix(".xmp") }.map { "\(target)/\($0)" }
        let told = try ExternalTool.run(["exiftool", "-q", "-j", "-Rig", "-RigInstance", "-RigPoseIndex"] + paths)
        let list = try #require(try JSONSerialization.jsonObject(with: Data(told.output.utf8)) as? [[String: Any]])
        let sidecars = list.map { tags in
            (rig: tags["Rig"] as? String, instance: tags["RigInstance"] as? String, index: tags["RigPoseIndex"] as? Int)
        }
        #expect(sidecars.count == 3 && Set(sidecars.map(\.rig)).count == 1)
        #expect(sidecars.map(\.index) == [0, 1, 0])
        #expect(sidecars[0].instance == sidecars[1].instance && sidecars[1].instance != sidecars[2].instance)
        for text in sidecars.flatMap({ [$0.rig, $0.instance] }) {
            #expect(text?.wholeMatch(of: /\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}/) != nil, "\(text ?? "none")")
        }
    }

    @Test func `COLMAP is told of images that are not there`() async throws {
        _ = try await export([1, 2], .colmap)
        #expect(
            try files()
                == [
                    "export.json", "images/north.cam1/\(id(1)).photo.jpg", "images/north.cam1/\(id(2)).photo.jpg",
                    "images/south.cam1/\(id(1)).photo.jpg", "pairs.txt", "rig_config.json",
                ].sorted())
        #expect(
            try String(contentsOfFile: target + "/pairs.txt", encoding: .utf8)
                == "north.cam1/\(id(1)).photo.jpg south.cam1/\(id(1)).photo.jpg\n")
    }

    /// A stored shot of cameras with what their manifests say of them.
    private func store(
        _ number: Int64, _ cameras: [(device: String, model: String?, serial: String?, width: Int)]
    ) async throws {
        var shot = try Samples.shot(number)
        let format = VideoFormat(pixelFormat: .mjpeg, width: 64, height: 48, frameInterval: .milliseconds(40))
        shot.captures = try cameras.map { camera in
            var capture = Capture(device: DeviceDescription(id: try DeviceID(camera.device), driver: "virtual"))
            (capture.device.make, capture.device.model) = (camera.model.map { _ in "Acme" }, camera.model)
            capture.device.serial = camera.serial
            capture.resolved = ResolvedPhotoSettings(
                width: camera.width, height: 48, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)
            return capture
        }
        try await library.write(shot)
        for camera in cameras {
            try await library.collect(Samples.photo(number, device: camera.device), bytes)
            shot = try shot.storing(bytes, of: camera.device)
        }
        try await library.write(shot)
    }

    @Test("Says which cameras a program takes for one that groups pictures by make, model and size")
    func alike() async throws {
        try await store(
            4,
            [
                ("n1/a", "Eye", "0001", 64), ("n1/b", "Eye", "0001", 64), ("n1/large", "Eye", nil, 128),
                ("n2/a", "Eye", nil, 64), ("n2/other", "Ear", "0001", 64), ("n2/unknown", nil, nil, 64),
            ])
        let report = try await export([4])
        #expect(report.alikeCameras.map { $0.map(\.description) } == [["n1/a", "n1/b", "n2/a"]])
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: "\(target)/export.json")))
                as? [String: Any])
        let cameras = try #require(json["cameras"] as? [[String: Any]])
        #expect(
            cameras.map { $0["device"] as? String } == ["n1/a", "n1/b", "n1/large", "n2/a", "n2/other", "n2/unknown"])
        #expect(
            cameras.map { $0["alike"] as? [String] } == [
                ["n1/b", "n2/a"], ["n1/a", "n2/a"], nil, ["n1/a", "n1/b"], nil, nil,
            ])
        #expect(cameras.map { $0["serial"] as? String } == ["0001", "0001", nil, nil, "0001", nil])
    }

    @Test(arguments: [ExportLayout.colmap, .realityCapture])
    func `a take is exported into a layout of stills, as nothing`(layout: ExportLayout) async throws {
        var take = try Samples.shot(3)
        take.take = Take()
        try await library.write(take)
        let problem = await #expect(throws: ExportError.self) { try await export([1, 3], layout) }
        #expect(problem?.code == .conflict && problem?.description.contains(id(3)) == true)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test func `what is missing in an export is not said, or is said wrongly`() async throws {
        try FileManager.default.removeItem(atPath: photo(1))
        try Data(bytes.dropLast() + [0]).write(to: URL(filePath: photo(2)))
        let report = try await export()
        #expect(!report.isComplete && !report.isEmpty)
        #expect(
            report.files.map(\.outcome) == [.missing, .copied, .altered, .absent])
        #expect(report.files[3].reason == "the camera was not running")
        #expect(report.files[2].reason?.contains("SHA-256") == true)
        #expect(try files() == ["export.json", "south.cam1/\(id(1)).photo.jpg"])
        let told = try JSONDecoder().decode(
            ExportReport.self, from: try Data(contentsOf: URL(filePath: target + "/export.json")))
        #expect(told == report)
        #expect(told.files[1].sha256 == (try Samples.digest(bytes).description))
    }

    @Test func `The report of a version that listed no cameras is read, as one without cameras`() throws {
        let text = """
            {
              "files" : [
                {
                  "byteCount" : 3000,
                  "device" : "north/cam1",
                  "kind" : "photo",
                  "outcome" : "copied",
                  "path" : "north.cam1/\(id(1)).photo.jpg",
                  "sha256" : "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
                  "shot" : "\(id(1))"
                }
              ],
              "layout" : "by-camera",
              "library" : "/srv/library",
              "schemaVersion" : 1,
              "shots" : [
                "\(id(1))"
              ]
            }
            """
        let report = try JSONDecoder().decode(ExportReport.self, from: Data(text.utf8))
        #expect(report.cameras.isEmpty && report.alikeCameras.isEmpty && report.isComplete)
        #expect(report.shots == [Samples.shotID(1)] && report.files.map(\.kind) == [.photo])
        let again = try JSONDecoder().decode(ExportReport.self, from: JSONEncoder().encode(report))
        #expect(again == report)
    }

    @Test func `a linked file that was altered is given away`() async throws {
        try Data(bytes.dropLast() + [0]).write(to: URL(filePath: photo(2)))
        let report = try await export([1, 2], .byCamera, linking: true)
        #expect(report.files.map(\.outcome) == [.linked, .linked, .altered, .absent])
        #expect(try FileManager.default.attributesOfItem(atPath: photo(1))[.referenceCount] as? Int == 2)
        #expect(try FileManager.default.attributesOfItem(atPath: photo(2))[.referenceCount] as? Int == 1)
    }

    @Test func `a link out of the library is followed`() async throws {
        try FileManager.default.removeItem(atPath: photo(1))
        _ = unsafe symlink("/etc/hostname", photo(1))
        for linking in [false, true] {
            let report = try await export([1], linking: linking)
            #expect(report.files.map(\.outcome) == [.unreadable, linking ? .linked : .copied])
            try FileManager.default.removeItem(atPath: target)
        }
    }

    @Test func `an export is mixed with files that were there`() async throws {
        try outside.write("mine", to: "set")
        await #expect(throws: ExportError.self) { try await export() }
        try FileManager.default.removeItem(atPath: target)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try outside.write("mine", to: "set/north.cam1")
        let problem = await #expect(throws: ExportError.self) { try await export() }
        #expect(problem?.code == .conflict)
        #expect(try outside.names() == ["set"])
        #expect(try outside.names("set") == ["north.cam1"])
        try FileManager.default.removeItem(atPath: target + "/north.cam1")
        #expect(!(try await export([1, 2]).isEmpty))
        await #expect(throws: ExportError.self) { try await export() }
    }

    @Test func `an export without any file leaves an empty folder`() async throws {
        try FileManager.default.removeItem(atPath: photo(2))
        #expect(try await export([2]).isEmpty)
        #expect(try outside.names() == [])
    }

    @Test func `an export that fails halfway leaves rubbish`() async throws {
        await #expect(throws: ExportError.self) {
            try await reader.export([Samples.shotID(1), Samples.shotID(9)], as: .byShot, to: target, linking: false)
        }
        await #expect(throws: ExportError.self) {
            try await reader.export([Samples.shotID(1)], as: .byShot, to: outside.path + "/absent/set", linking: false)
        }
        let disk = FaultyDisk()
        disk.fail(.crash(at: 5))
        let failing = try FolderReader(folder: folder.path, fault: disk.fault)
        _ = try? await failing.export([Samples.shotID(1)], as: .byShot, to: target, linking: false)
        #expect(try outside.names().allSatisfy { $0 == "set" })
    }
}

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
        try await library.write(shot)
        for device in ["north/cam1", "south/cam1"] {
            try await library.collect(Samples.photo(device: device), bytes)
            shot = try shot.storing(bytes, of: device)
        }
        shot.status = .complete
        try await library.write(shot)
        self.shot = shot
    }

    private var photo: String { "\(folder.path)/\(Samples.folder())/north.cam1/photo.jpg" }

    @Test func `a file of the library is emptied where its link can be neither read nor removed`() async throws {
        let fault: FileFault = { step, path in
            path.contains("/.export-") && (step == .read || step == .remove) ? EIO : nil
        }
        let target = try ExportFolder(outside.path + "/set", link: reader.link, fault: fault)
        var writer = ExportWriter(reader, ExportPlan(.byCamera, shots: [shot]), target)
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

extension Samples {
    static func library(_ folder: TemporaryFolder) throws -> FolderStore {
        try FolderStore(folder: folder.path)
    }

    /// Where the shot of this number lies when it is not later than the first day.
    static func folder(_ number: Int64 = 1) -> String { "2026/11/21/\(shotID(number))" }
}

extension FolderStore {
    func write(_ shot: Shot) async throws { try await manifests.store(shot) }

    func collect(_ key: FileKey, _ bytes: [UInt8]) async throws { try await assets.collect(key, bytes) }
}

extension FolderReader {
    func export(
        _ ids: [ShotID], as layout: ExportLayout, to path: String, linking: Bool
    ) async throws(ExportError) -> ExportReport {
        try await (linking ? ShotExport(self, link: link) : ShotExport(self)).run(ids, as: layout, to: path)
    }
}
