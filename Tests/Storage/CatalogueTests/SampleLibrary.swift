import CaptureModel
import CaptureTestSupport
import Catalogue
import FolderStore
import Foundation
import ShotDocuments
import StorageKit

/// A library's folder with made-up shots, written as a coordinator leaves it.
final class SampleLibrary {
    let folder: TemporaryFolder
    let reader: FolderReader
    var generator: SeededGenerator
    private var made: Int64 = 0

    /// 2026-11-01T00:00:00Z.
    static let start: Int64 = 1_793_491_200_000_000_000
    static let hour: Int64 = 3_600_000_000_000
    static let titles = ["", "", "", "Gipfel", "Gipfelkreuz bei Nacht", "ÉTÉ 100%", "sous_titre", "İstanbul"]

    init(seed: UInt64 = 1) throws {
        folder = try TemporaryFolder()
        reader = try FolderReader(folder: folder.path)
        generator = SeededGenerator(seed: seed)
    }

    var catalogue: CatalogueReader { CatalogueReader(reader, folder: folder.path) }

    /// Shots in any state, some with a title.
    func add(_ count: Int) throws -> [Shot] {
        try (0..<count).map { _ in
            let shot = try shot()
            try write(shot)
            if let title = Self.titles.randomElement(using: &generator), !title.isEmpty {
                let note = Bool.random(using: &generator) ? "Wind aus Süd\nDrohne 2" : ""
                let rejected = shot.captures.map(\.device.id).filter { _ in
                    Int.random(in: 0..<3, using: &generator) == 0
                }
                try annotate(shot, ShotAnnotation(title: title, note: note, rejected: rejected))
            }
            return shot
        }
    }

    /// Some hours after the one before, of up to three cameras.
    func shot() throws -> Shot {
        made += 1
        let realtime = Self.start + made * Self.hour * Int64.random(in: 1...9, using: &generator)
        let id = ShotID(unixMilliseconds: realtime / 1_000_000, using: &generator)
        let cameras = ["north/cam1", "north/cam2", "south/top"].shuffled(using: &generator).prefix(
            Int.random(in: 1...3, using: &generator))
        var shot = Shot(
            id: id, time: RigTime(nanoseconds: 250), rigClock: RigClockID(rawValue: "boot.1"),
            wallClock: WallClockPair(monotonic: RigTime(nanoseconds: 0), realtimeNanoseconds: realtime),
            coordinatorEpoch: .random(using: &generator), request: ShotRequest(selection: Selection()),
            captures: try cameras.map { try capture($0) })
        shot.status = Shot.Status.allCases.randomElement(using: &generator) ?? .open
        return shot
    }

    private func capture(_ device: String) throws -> Capture {
        let labels = [["left"], ["left", "high"], []].randomElement(using: &generator) ?? []
        let kinds: [AssetKind] = Bool.random(using: &generator) ? [.photo] : [.photo, .preview]
        var capture = Capture(
            device: DeviceDescription(id: try DeviceID(device), labels: labels, driver: "virtual"), kinds: kinds)
        for index in capture.files.indices {
            capture.files[index].outcome = CapturedFile.Outcome.allCases.randomElement(using: &generator) ?? .done
        }
        return capture
    }

    func path(of shot: Shot) -> String { "\(folder.path)/\(shot.libraryFolder)" }

    func write(_ shot: Shot) throws {
        try FileManager.default.createDirectory(atPath: path(of: shot), withIntermediateDirectories: true)
        try Data(ShotManifest(shot: shot).encoded()).write(
            to: URL(filePath: path(of: shot) + "/shot.json"), options: .atomic)
    }

    /// Makes the shot's manifest unreadable.
    func damage(_ shot: Shot) throws {
        try folder.write("{", to: "\(shot.libraryFolder)/shot.json")
    }

    func annotate(_ shot: Shot, _ annotation: ShotAnnotation) throws {
        try JSONEncoder().encode(annotation).write(to: URL(filePath: path(of: shot) + "/annotation.json"))
    }

    func remove(_ shot: Shot) throws {
        try FileManager.default.removeItem(atPath: path(of: shot))
    }

    /// Lets every day look as if nothing had come or gone for an hour, so that an index may believe it.
    func rest() async throws {
        for day in try await reader.days() {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: "\(folder.path)/\(day.name)")
        }
    }

    func newestDay() async throws -> String? { try await reader.days().first?.name }

    func reindexing(_ reader: FolderReader? = nil) -> Reindexing {
        Reindexing(reader ?? self.reader, folder: folder.path) { [reader = self.reader] in try reader.lock() }
    }

    func reindex() async throws {
        try await rest()
        _ = try await reindexing().run(ManualTimeSource(), fromNothing: false)
    }

    /// A query of any kind.
    func query() -> ShotQuery {
        func maybe<Value>(_ values: [Value]) -> [Value] {
            Int.random(in: 0..<4, using: &generator) == 0 ? Array(values.shuffled(using: &generator).prefix(2)) : []
        }
        let times = [1, 20, 60, 200, 700].map { Self.start + $0 * Self.hour }
        return ShotQuery(
            since: maybe(times).first, until: maybe(times).first,
            devices: maybe(["*/cam1", "north/*", "top", "*/c?m2", "none/x"].compactMap(DevicePattern.init)),
            labels: maybe(["left", "high", "absent"]), outcomes: Set(maybe(CapturedFile.Outcome.allCases)),
            statuses: Set(maybe(Shot.Status.allCases)), title: maybe(["GIPFEL", "été", "%", "_", "i̇s"]).first,
            text: maybe(["drohne", "süd", "kreuz"]).first, isRejected: Int.random(in: 0..<6, using: &generator) == 0)
    }

    /// The shots that a query takes, found without any catalogue.
    func expected(_ query: ShotQuery) async throws -> [ShotID] {
        try await contents().filter { query.matches($0.shot, $0.annotation) }.map(\.shot.id)
    }

    /// Every shot as its files say, newest first.
    func contents() async throws -> [(shot: Shot, annotation: ShotAnnotation)] {
        try await reader.shots(limit: .max).shots.map { ($0, try reader.annotation(of: $0.id)) }
    }

    var indexPath: String { "\(folder.path)/.index/index.sqlite" }

    func sqlite(_ sql: String) throws -> String {
        let outcome = try ExternalTool.run("sqlite3", "-readonly", indexPath, sql)
        guard outcome.status == 0 else { throw Failed(output: outcome.output) }
        return outcome.output.trimmingCharacters(in: .newlines)
    }

    struct Failed: Error {
        var output: String
    }
}

extension CatalogueListing {
    var ids: [ShotID] { shots.map(\.id) }

    /// How many shots were read from their manifests though there was an index; nil where it was of no use.
    var changed: Int? {
        if case .index(let changed) = source { changed } else { nil }
    }
}
