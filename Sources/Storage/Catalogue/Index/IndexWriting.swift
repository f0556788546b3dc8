internal import CaptureModel
internal import GRDB
internal import StorageKit

/// What is written into an index. Each call is part of the caller's transaction.
struct IndexWriting {
    let db: Database

    /// Whether the index was closed with everything in it; what it says of days can be relied on only then.
    func setClean(_ isClean: Bool) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('clean', ?)", arguments: [isClean ? "1" : "0"])
    }

    /// Notes that all shots of a day are in the index as they are in the folder of this version; an empty version says
    /// that nobody knows.
    func setDay(_ path: String, version: String) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO day (path, version) VALUES (?, ?)", arguments: [path, version])
    }

    func removeDay(_ path: String) throws {
        try db.execute(sql: "DELETE FROM entry WHERE kind IN ('shot', 'take') AND day = ?", arguments: [path])
        try db.execute(sql: "DELETE FROM day WHERE path = ?", arguments: [path])
    }

    func remove(_ id: ShotID) throws {
        try db.cachedStatement(sql: "DELETE FROM entry WHERE uuid = ?").execute(arguments: [id.description])
    }

    /// Puts a shot in place of what the index has of it.
    func put(_ record: ShotRecord) throws {
        try remove(record.id)
        switch record.content {
        case .shot(let shot, let annotation): try put(shot, annotation, record)
        case .damaged(let manifest): try put(problem: manifest.description, record)
        case .unbegun: try put(problem: nil, record)
        }
    }

    /// Puts a shot in place of what the index has of it.
    /// - Returns: Whether that was something else.
    func correct(_ record: ShotRecord) throws -> Bool {
        let before = try IndexReading(db: db).rows(of: record.id)
        try put(record)
        return try IndexReading(db: db).rows(of: record.id) != before
    }

    private func put(problem: String?, _ record: ShotRecord) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO entry (uuid, day, problem, manifestStamp, annotationStamp) VALUES (?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            record.id.description, record.day, problem, record.stamp.manifest, record.stamp.annotation,
        ])
    }

    private func put(_ shot: Shot, _ annotation: ShotAnnotation, _ record: ShotRecord) throws {
        let entry = CatalogueEntry(shot, annotation, day: record.day)
        try db.cachedStatement(
            sql: """
                INSERT INTO entry (uuid, kind, day, realtimeNanoseconds, status, revision, expected, done, title, note,
                    titleSearch, textSearch, manifestStamp, annotationStamp)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            record.id.description, shot.take == nil ? "shot" : "take", record.day, entry.realtimeNanoseconds,
            shot.status.rawValue, shot.revision,
            entry.expected, entry.done, annotation.title, annotation.note, ShotQuery.searchText(annotation.title),
            annotation.isEmpty ? "" : ShotQuery.searchText(annotation), record.stamp.manifest, record.stamp.annotation,
        ])
        let row = db.lastInsertedRowID
        for capture in shot.captures { try put(capture, entry: row) }
    }

    private func put(_ capture: Capture, entry: Int64) throws {
        let camera = try camera(capture.device)
        let statement = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO file (entry, camera, kind, outcome, byteCount) VALUES (?, ?, ?, ?, ?)")
        for file in capture.files {
            try statement.execute(arguments: [
                entry, camera, file.kind.rawValue, file.outcome.rawValue, file.byteCount,
            ])
        }
    }

    /// The row of a camera with the labels it had.
    private func camera(_ device: DeviceDescription) throws -> Int64 {
        let arguments: StatementArguments = [device.id.description, CameraLabels.text(device.labels)]
        let find = try db.cachedStatement(sql: "SELECT id FROM camera WHERE device = ? AND labels = ?")
        if let row = try Int64.fetchOne(find, arguments: arguments) { return row }
        try db.execute(sql: "INSERT INTO camera (device, labels) VALUES (?, ?)", arguments: arguments)
        return db.lastInsertedRowID
    }
}

/// Labels of a camera as the index keeps them: one a line, since a label is one line.
enum CameraLabels {
    static func text(_ labels: [String]) -> String {
        labels.sorted().joined(separator: "\n")
    }

    static func labels(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }
}
