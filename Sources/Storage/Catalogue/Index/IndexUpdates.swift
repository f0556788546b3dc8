internal import CaptureModel
internal import GRDB
internal import StorageKit

/// Writes into an index. Each call is part of the caller's transaction.
struct IndexUpdates {
    let db: Database

    /// Sets whether the index was complete when it was closed. Only then its days can be trusted.
    func setClean(_ isClean: Bool) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('clean', ?)", arguments: [isClean ? "1" : "0"])
    }

    /// Records that the index matches all shots of a day's folder of this version. An empty version means that this is unknown.
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

    /// Replaces the index's rows of a shot.
    func put(_ record: ShotRecord) throws {
        try remove(record.id)
        switch record.content {
        case .shot(let shot, let annotation): try put(shot, annotation, record)
        case .damaged(let manifest): try put(problem: manifest.description, record)
        case .unbegun: try put(problem: nil, record)
        }
    }

    /// Replaces the index's rows of a shot.
    /// - Returns: Whether they differed.
    func correct(_ record: ShotRecord) throws -> Bool {
        let before = try IndexRows(db: db).rows(of: record.id)
        try put(record)
        return try IndexRows(db: db).rows(of: record.id) != before
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
            annotation.title.isEmpty && annotation.note.isEmpty ? "" : ShotQuery.searchText(annotation),
            record.stamp.manifest, record.stamp.annotation,
        ])
        let row = db.lastInsertedRowID
        let rejected = Set(annotation.rejected)
        for capture in shot.captures {
            try put(capture, isRejected: rejected.contains(capture.device.id), entry: row)
        }
    }

    private func put(_ capture: Capture, isRejected: Bool, entry: Int64) throws {
        let camera = try camera(capture.device)
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO file (entry, camera, kind, outcome, byteCount, isRejected) VALUES (?, ?, ?, ?, ?, ?)
                """)
        for file in capture.files {
            try statement.execute(arguments: [
                entry, camera, file.kind.rawValue, file.outcome.rawValue, file.byteCount, isRejected,
            ])
        }
    }

    /// Returns the row of a camera with these labels. Creates it if it is missing.
    private func camera(_ device: DeviceDescription) throws -> Int64 {
        let arguments: StatementArguments = [device.id.description, CameraLabels.text(device.labels)]
        let find = try db.cachedStatement(sql: "SELECT id FROM camera WHERE device = ? AND labels = ?")
        if let row = try Int64.fetchOne(find, arguments: arguments) { return row }
        try db.execute(sql: "INSERT INTO camera (device, labels) VALUES (?, ?)", arguments: arguments)
        return db.lastInsertedRowID
    }
}

/// A camera's labels as stored in the index: one per line, since a label is a single line.
enum CameraLabels {
    static func text(_ labels: [String]) -> String {
        labels.sorted().joined(separator: "\n")
    }

    static func labels(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }
}

/// Reads from an index. Anyone may have changed the file, so a value of an unexpected type is an error, not a trap.
struct IndexRows {
    let db: Database

    /// Returns whether the index was complete when it was closed.
    func isClean() throws -> Bool {
        try String.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'clean'") == "1"
    }

    /// Returns the version of each day when all its shots were in the index; empty if it is unknown.
    func days() throws -> [String: String] {
        var days: [String: String] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT path, version FROM day") {
            days[try row.decode(forColumn: "path")] = try row.decode(String.self, forColumn: "version")
        }
        return days
    }

    /// Returns the stamps of a day's shots when they were read.
    func stamps(of day: String) throws -> [ShotID: ShotStamp] {
        let statement = try db.cachedStatement(
            sql: "SELECT uuid, manifestStamp, annotationStamp FROM entry WHERE kind IN ('shot', 'take') AND day = ?")
        var stamps: [ShotID: ShotStamp] = [:]
        let rows = try Row.fetchCursor(statement, arguments: [day])
        while let row = try rows.next() {
            guard let id = ShotID(try row.decode(String.self, forColumn: "uuid")) else { continue }
            stamps[id] = try ShotStamp(row)
        }
        return stamps
    }

    /// Returns the days that have shots in the index.
    func indexedDays() throws -> Set<String> {
        try Set(String.fetchAll(db, sql: "SELECT DISTINCT day FROM entry WHERE kind IN ('shot', 'take')"))
    }

    func day(of id: ShotID) throws -> String? {
        try String.fetchOne(db, sql: "SELECT day FROM entry WHERE uuid = ?", arguments: [id.description])
    }

    /// Returns everything that the index has of a shot, except row ids.
    func rows(of id: ShotID) throws -> [Row] {
        let arguments: StatementArguments = [id.description]
        let entry = """
            SELECT kind, day, realtimeNanoseconds, status, revision, expected, done, title, note, titleSearch, textSearch,
                problem, manifestStamp, annotationStamp
            FROM entry WHERE uuid = ?
            """
        let files = """
            SELECT device, labels, file.kind, outcome, byteCount, isRejected
            FROM entry JOIN file ON file.entry = entry.id JOIN camera ON camera.id = file.camera
            WHERE uuid = ? ORDER BY device, labels, file.kind
            """
        return try Row.fetchAll(db, sql: entry, arguments: arguments)
            + Row.fetchAll(db, sql: files, arguments: arguments)
    }

    func shotCount() throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM entry WHERE kind IN ('shot', 'take')") ?? 0
    }

    /// Returns the number of shots whose manifest could not be read.
    func damagedCount() throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT count(*) FROM entry WHERE kind IN ('shot', 'take') AND problem IS NOT NULL") ?? 0
    }

    /// Returns the rows of the cameras that match a query.
    func cameras(_ query: ShotQuery) throws -> [Int64] {
        try Row.fetchAll(db, sql: "SELECT id, device, labels FROM camera").compactMap { row in
            let labels = CameraLabels.labels(try row.decode(forColumn: "labels"))
            guard let device = try? DeviceID(try row.decode(String.self, forColumn: "device")) else { return nil }
            return query.matches(device, labels: labels) ? try row.decode(forColumn: "id") : nil
        }
    }
}

extension ShotStamp {
    init(_ row: Row) throws {
        self.init(
            manifest: try row.decode(forColumn: "manifestStamp"),
            annotation: try row.decode(forColumn: "annotationStamp"))
    }
}
