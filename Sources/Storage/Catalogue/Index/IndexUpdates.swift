internal import CaptureModel
internal import SQLite
internal import StorageKit

/// Writes into an index. Each call is part of the caller's transaction.
struct IndexUpdates {
    let db: SQLiteConnection

    /// Sets whether the index was complete when it was closed. Only then its days can be trusted.
    func setClean(_ isClean: Bool) throws {
        try db.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('clean', ?)", [.text(isClean ? "1" : "0")])
    }

    /// Records that the index matches all shots of a day's folder of this version. An empty version means that this is unknown.
    func setDay(_ path: String, version: String) throws {
        try db.run("INSERT OR REPLACE INTO day (path, version) VALUES (?, ?)", [.text(path), .text(version)])
    }

    func removeDay(_ path: String) throws {
        try db.run("DELETE FROM entry WHERE kind IN ('shot', 'take') AND day = ?", [.text(path)])
        try db.run("DELETE FROM day WHERE path = ?", [.text(path)])
    }

    func remove(_ id: ShotID) throws {
        try db.run("DELETE FROM entry WHERE uuid = ?", [.text(id.description)])
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
        try db.run(
            "INSERT INTO entry (uuid, day, problem, manifestStamp, annotationStamp) VALUES (?, ?, ?, ?, ?)",
            [
                .text(record.id.description), .text(record.day), SQLiteValue(problem), .text(record.stamp.manifest),
                .text(record.stamp.annotation),
            ])
    }

    private func put(_ shot: Shot, _ annotation: ShotAnnotation, _ record: ShotRecord) throws {
        let entry = CatalogueEntry(shot, annotation, day: record.day)
        let hasText = !annotation.title.isEmpty || !annotation.note.isEmpty
        try db.run(
            """
            INSERT INTO entry (uuid, kind, day, realtimeNanoseconds, status, revision, expected, done, title, note,
                titleSearch, textSearch, manifestStamp, annotationStamp)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(record.id.description), .text(shot.take == nil ? "shot" : "take"), .text(record.day),
                .integer(entry.realtimeNanoseconds), .text(shot.status.rawValue), .integer(Int64(shot.revision)),
                .integer(Int64(entry.expected)), .integer(Int64(entry.done)), .text(annotation.title),
                .text(annotation.note), .text(ShotQuery.searchText(annotation.title)),
                .text(hasText ? ShotQuery.searchText(annotation) : ""), .text(record.stamp.manifest),
                .text(record.stamp.annotation),
            ])
        let row = db.lastInsertedRowID
        let rejected = Set(annotation.rejected)
        for capture in shot.captures {
            try put(capture, isRejected: rejected.contains(capture.device.id), entry: row)
        }
    }

    private func put(_ capture: Capture, isRejected: Bool, entry: Int64) throws {
        let camera = try camera(capture.device)
        for file in capture.files {
            try db.run(
                """
                INSERT OR REPLACE INTO file (entry, camera, kind, outcome, byteCount, isRejected)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(entry), .integer(camera), .text(file.kind.rawValue), .text(file.outcome.rawValue),
                    SQLiteValue(file.byteCount), .integer(isRejected ? 1 : 0),
                ])
        }
    }

    /// Returns the row of a camera with these labels. Creates it if it is missing.
    private func camera(_ device: DeviceDescription) throws -> Int64 {
        let values: [SQLiteValue] = [.text(device.id.description), .text(CameraLabels.text(device.labels))]
        let found = try db.cached("SELECT id FROM camera WHERE device = ? AND labels = ?", values)
        if try found.step() { return try found.integer(at: 0) }
        try db.run("INSERT INTO camera (device, labels) VALUES (?, ?)", values)
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
    let db: SQLiteConnection

    /// Returns whether the index was complete when it was closed.
    func isClean() throws -> Bool {
        let row = try db.prepare("SELECT value FROM meta WHERE key = 'clean'")
        return try row.step() && row.text(at: 0) == "1"
    }

    /// Returns the version of each day when all its shots were in the index; empty if it is unknown.
    func days() throws -> [String: String] {
        var days: [String: String] = [:]
        let rows = try db.prepare("SELECT path, version FROM day")
        while try rows.step() { days[try rows.text(at: 0)] = try rows.text(at: 1) }
        return days
    }

    /// Returns the stamps of a day's shots when they were read.
    func stamps(of day: String) throws -> [ShotID: ShotStamp] {
        let rows = try db.cached(
            "SELECT uuid, manifestStamp, annotationStamp FROM entry WHERE kind IN ('shot', 'take') AND day = ?",
            [.text(day)])
        var stamps: [ShotID: ShotStamp] = [:]
        while try rows.step() {
            guard let id = ShotID(try rows.text(at: 0)) else { continue }
            stamps[id] = try ShotStamp(rows, at: 1)
        }
        return stamps
    }

    /// Returns the days that have shots in the index.
    func indexedDays() throws -> Set<String> {
        var days: Set<String> = []
        let rows = try db.prepare("SELECT DISTINCT day FROM entry WHERE kind IN ('shot', 'take')")
        while try rows.step() { days.insert(try rows.text(at: 0)) }
        return days
    }

    func day(of id: ShotID) throws -> String? {
        let row = try db.prepare("SELECT day FROM entry WHERE uuid = ?", [.text(id.description)])
        return try row.step() ? try row.text(at: 0) : nil
    }

    /// Returns everything that the index has of a shot, except row ids.
    func rows(of id: ShotID) throws -> [[SQLiteValue]] {
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
        var found: [[SQLiteValue]] = []
        for sql in [entry, files] {
            let rows = try db.cached(sql, [.text(id.description)])
            while try rows.step() { found.append(try rows.row()) }
        }
        return found
    }

    func shotCount() throws -> Int {
        try count("SELECT count(*) FROM entry WHERE kind IN ('shot', 'take')")
    }

    /// Returns the number of shots whose manifest could not be read.
    func damagedCount() throws -> Int {
        try count("SELECT count(*) FROM entry WHERE kind IN ('shot', 'take') AND problem IS NOT NULL")
    }

    private func count(_ sql: String) throws -> Int {
        let row = try db.prepare(sql)
        return try row.step() ? Int(try row.integer(at: 0)) : 0
    }

    /// Returns the rows of the cameras that match a query.
    func cameras(_ query: ShotQuery) throws -> [Int64] {
        var cameras: [Int64] = []
        let rows = try db.prepare("SELECT id, device, labels FROM camera")
        while try rows.step() {
            let labels = CameraLabels.labels(try rows.text(at: 2))
            guard let device = try? DeviceID(try rows.text(at: 1)) else { continue }
            if query.matches(device, labels: labels) { cameras.append(try rows.integer(at: 0)) }
        }
        return cameras
    }
}

extension ShotStamp {
    /// - Parameter column: The first of the stamp's two columns.
    init(_ row: SQLiteStatement, at column: Int) throws {
        self.init(manifest: try row.text(at: column), annotation: try row.text(at: column + 1))
    }
}
