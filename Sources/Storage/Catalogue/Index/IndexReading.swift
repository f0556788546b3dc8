internal import CaptureModel
internal import GRDB
internal import StorageKit

/// What is read from an index. The file is anybody's: a value of another type than was written is an error, not a trap.
struct IndexReading {
    let db: Database

    /// Whether the index was closed with everything in it.
    func isClean() throws -> Bool {
        try String.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'clean'") == "1"
    }

    /// The version that each day had when all its shots were in the index; empty where that is not known.
    func days() throws -> [String: String] {
        var days: [String: String] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT path, version FROM day") {
            days[try row.decode(forColumn: "path")] = try row.decode(String.self, forColumn: "version")
        }
        return days
    }

    /// The stamps that a day's shots had when they were read.
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

    /// Days of which the index has shots.
    func indexedDays() throws -> Set<String> {
        try Set(String.fetchAll(db, sql: "SELECT DISTINCT day FROM entry WHERE kind IN ('shot', 'take')"))
    }

    func day(of id: ShotID) throws -> String? {
        try String.fetchOne(db, sql: "SELECT day FROM entry WHERE uuid = ?", arguments: [id.description])
    }

    /// Everything an index has of a shot, but for the numbers of its rows.
    func rows(of id: ShotID) throws -> [Row] {
        let arguments: StatementArguments = [id.description]
        let entry = """
            SELECT kind, day, realtimeNanoseconds, status, revision, expected, done, title, note, titleSearch, textSearch,
                problem, manifestStamp, annotationStamp
            FROM entry WHERE uuid = ?
            """
        let files = """
            SELECT device, labels, file.kind, outcome, byteCount
            FROM entry JOIN file ON file.entry = entry.id JOIN camera ON camera.id = file.camera
            WHERE uuid = ? ORDER BY device, labels, file.kind
            """
        return try Row.fetchAll(db, sql: entry, arguments: arguments)
            + Row.fetchAll(db, sql: files, arguments: arguments)
    }

    func shotCount() throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM entry WHERE kind IN ('shot', 'take')") ?? 0
    }

    /// How many of them have a manifest that could not be read.
    func damagedCount() throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT count(*) FROM entry WHERE kind IN ('shot', 'take') AND problem IS NOT NULL") ?? 0
    }

    /// Rows of the cameras that a query takes.
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
