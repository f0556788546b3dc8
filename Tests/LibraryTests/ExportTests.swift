import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import Library
import PosixSupport
import Testing

@Suite struct ExportTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder
    private let library: Library
    private let reader: LibraryReader
    private let bytes = Samples.bytes(3000)

    /// Two shots of two cameras; south's second still is missing.
    init() async throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        library = try Samples.library(folder)
        reader = try LibraryReader(folder: folder.path)
        for number: Int64 in 1...2 {
            var shot = try Samples.shot(number)
            try await library.journal(shot)
            for device in ["north/cam1", "south/cam1"] where number == 1 || device == "north/cam1" {
                try await library.collect(Samples.photo(number, device: device), bytes)
                shot = try shot.storing(bytes, of: device)
            }
            for index in shot.captures.indices where shot.captures[index].phase != .done {
                shot.captures[index].files[0].outcome = .missed
                shot.captures[index].problem = CaptureProblem(.notRunning, "the camera was not running")
            }
            shot.status = number == 1 ? .complete : .partial
            try await library.journal(shot)
        }
    }

    private var target: String { outside.path + "/set" }

    private func export(
        _ numbers: [Int64] = [1, 2], _ layout: ExportLayout = .byCamera, linking: Bool = false
    ) throws -> ExportReport {
        try reader.export(numbers.map { Samples.shotID($0) }, as: layout, to: target, linking: linking)
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

    @Test func `a layout puts files elsewhere than documented`() throws {
        _ = try export([1, 2], .byCamera)
        #expect(
            try files()
                == [
                    "export.json", "north.cam1/\(id(1)).photo.jpg", "north.cam1/\(id(2)).photo.jpg",
                    "south.cam1/\(id(1)).photo.jpg",
                ].sorted())
        try FileManager.default.removeItem(atPath: target)
        _ = try export([1], .byShot)
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
        _ = try export([1, 2], .realityCapture)
        #expect(
            try files()
                == [
                    "export.json", "north.cam1.\(id(1)).photo.jpg", "north.cam1.\(id(2)).photo.jpg",
                    "south.cam1.\(id(1)).photo.jpg",
                ].sorted())
    }

    @Test func `COLMAP is told of images that are not there`() throws {
        _ = try export([1, 2], .colmap)
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

    @Test(arguments: [ExportLayout.colmap, .realityCapture])
    func `a take is exported into a layout of stills, as nothing`(layout: ExportLayout) async throws {
        var take = try Samples.shot(3)
        take.take = Take()
        try await library.journal(take)
        let problem = #expect(throws: CaptureProblem.self) { try export([1, 3], layout) }
        #expect(problem?.code == .conflict && problem?.message.contains(id(3)) == true)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test func `what is missing in an export is not said, or is said wrongly`() throws {
        try FileManager.default.removeItem(atPath: photo(1))
        try Data(bytes.dropLast() + [0]).write(to: URL(filePath: photo(2)))
        let report = try export()
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

    @Test func `a linked file that was altered is given away`() throws {
        try Data(bytes.dropLast() + [0]).write(to: URL(filePath: photo(2)))
        let report = try export([1, 2], .byCamera, linking: true)
        #expect(report.files.map(\.outcome) == [.linked, .linked, .altered, .absent])
        #expect(try FileManager.default.attributesOfItem(atPath: photo(1))[.referenceCount] as? Int == 2)
        #expect(try FileManager.default.attributesOfItem(atPath: photo(2))[.referenceCount] as? Int == 1)
    }

    @Test func `a link out of the library is followed`() throws {
        try FileManager.default.removeItem(atPath: photo(1))
        _ = unsafe symlink("/etc/hostname", photo(1))
        for linking in [false, true] {
            let report = try export([1], linking: linking)
            #expect(report.files.map(\.outcome) == [.unreadable, linking ? .linked : .copied])
            try FileManager.default.removeItem(atPath: target)
        }
    }

    @Test func `an export is mixed with files that were there`() throws {
        try outside.write("mine", to: "set")
        #expect(throws: CaptureProblem.self) { try export() }
        try FileManager.default.removeItem(atPath: target)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try outside.write("mine", to: "set/north.cam1")
        let problem = #expect(throws: CaptureProblem.self) { try export() }
        #expect(problem?.code == .conflict)
        #expect(try outside.names() == ["set"])
        #expect(try outside.names("set") == ["north.cam1"])
        try FileManager.default.removeItem(atPath: target + "/north.cam1")
        #expect(!(try export([1, 2]).isEmpty))
        #expect(throws: CaptureProblem.self) { try export() }
    }

    @Test func `an export without any file leaves an empty folder`() throws {
        try FileManager.default.removeItem(atPath: photo(2))
        #expect(try export([2]).isEmpty)
        #expect(try outside.names() == [])
    }

    @Test func `an export that fails halfway leaves rubbish`() throws {
        #expect(throws: CaptureProblem.self) {
            try reader.export([Samples.shotID(1), Samples.shotID(9)], as: .byShot, to: target, linking: false)
        }
        #expect(throws: CaptureProblem.self) {
            try reader.export([Samples.shotID(1)], as: .byShot, to: outside.path + "/absent/set", linking: false)
        }
        let disk = FaultyDisk()
        disk.fail(.crash(at: 5))
        let failing = try LibraryReader(folder: folder.path, fault: disk.fault)
        _ = try? failing.export([Samples.shotID(1)], as: .byShot, to: target, linking: false)
        #expect(try outside.names().allSatisfy { $0 == "set" })
    }
}
