internal import CaptureModel
internal import SQLite
internal import StorageKit

/// The SELECT statement of a query: entries newest first.
struct IndexSelect {
    private var conditions: [String]
    private var arguments: [SQLiteValue] = []

    /// The start of a page: after this shot of this day.
    typealias Start = (day: String, id: ShotID)

    /// - Parameter cameras: The rows of the cameras that match the query, if it asks for files.
    init(_ query: ShotQuery, cameras: [Int64], before: Start?) {
        conditions = [query.isOfTakes ? "kind = 'take'" : "kind = 'shot'"]
        addPlace(query, before)
        add("realtimeNanoseconds >= ?", query.since.map(SQLiteValue.integer))
        add("realtimeNanoseconds < ?", query.until.map(SQLiteValue.integer))
        add("status", in: query.statuses.map(\.rawValue))
        add("instr(titleSearch, ?) > 0", query.title.map { .text(ShotQuery.searchText($0)) })
        if let text = query.text, !text.isEmpty {
            conditions.append("textSearch <> ''")
            add("instr(textSearch, ?) > 0", .text(ShotQuery.searchText(text)))
        }
        if query.asksForFiles { addFiles(query, cameras) }
    }

    /// Returns the statement for unreadable manifests of the query's days.
    static func damaged(_ query: ShotQuery, before: Start?) -> IndexSelect {
        var select = IndexSelect(ShotQuery(), cameras: [], before: nil)
        select.addPlace(query, before)
        select.conditions.append("problem IS NOT NULL")
        return select
    }

    func rows(_ db: SQLiteConnection, _ columns: String) throws -> SQLiteStatement {
        let sql =
            "SELECT \(columns) FROM entry WHERE \(conditions.joined(separator: " AND ")) ORDER BY day DESC, uuid DESC"
        return try db.prepare(sql, arguments)
    }

    /// Adds conditions that the order of the index satisfies at no cost.
    private mutating func addPlace(_ query: ShotQuery, _ before: Start?) {
        add("day >= ?", query.since.map { .text(ShotDay.name(atRealtimeNanoseconds: $0)) })
        add("day <= ?", query.until.map { .text(ShotDay.name(atRealtimeNanoseconds: $0)) })
        guard let before else { return }
        conditions.append("(day, uuid) < (?, ?)")
        arguments += [.text(before.day), .text(before.id.description)]
    }

    private mutating func addFiles(_ query: ShotQuery, _ cameras: [Int64]) {
        // Files are looked up for each shot. If what they must be is rare, the search begins with the files instead.
        let isRareOutcome = !query.outcomes.isEmpty && !query.outcomes.contains(.done)
        let isRare = isRareOutcome || query.isRejected
        let source = "FROM file WHERE camera IN (\(cameras.map(String.init).joined(separator: ",")))"
        conditions.append(
            isRare ? "id IN (SELECT entry \(source)" : "EXISTS (SELECT 1 \(source) AND file.entry = entry.id")
        let index = conditions.count - 1
        if isRareOutcome { conditions[index] += " AND outcome <> 'done'" }
        if query.isRejected { conditions[index] += " AND isRejected = 1" }
        if !query.outcomes.isEmpty {
            conditions[index] += " AND outcome IN (\(marks(query.outcomes.count)))"
            arguments += query.outcomes.map(\.rawValue).sorted().map(SQLiteValue.text)
        }
        conditions[index] += ")"
    }

    private mutating func add(_ condition: String, _ argument: SQLiteValue?) {
        guard let argument else { return }
        conditions.append(condition)
        arguments.append(argument)
    }

    private mutating func add(_ column: String, in values: [String]) {
        guard !values.isEmpty else { return }
        conditions.append("\(column) IN (\(marks(values.count)))")
        arguments += values.sorted().map(SQLiteValue.text)
    }

    private func marks(_ count: Int) -> String {
        repeatElement("?", count: count).joined(separator: ",")
    }
}

extension CatalogueEntry {
    /// The columns of an entry, followed by those of its stamp.
    static let columns =
        "uuid, day, status, realtimeNanoseconds, expected, done, title, manifestStamp, annotationStamp"
    /// The place of the stamp in ``columns``.
    static let stampColumn = 7

    /// nil if the shot of the row could not be read.
    init?(_ row: SQLiteStatement) throws {
        guard let id = ShotID(try row.text(at: 0)), let word = try row.textIfPresent(at: 2),
            let status = Shot.Status(rawValue: word)
        else { return nil }
        self.init(
            id: id, day: try row.text(at: 1), status: status, realtimeNanoseconds: try row.integer(at: 3),
            expected: Int(try row.integer(at: 4)), done: Int(try row.integer(at: 5)), title: try row.text(at: 6))
    }
}
