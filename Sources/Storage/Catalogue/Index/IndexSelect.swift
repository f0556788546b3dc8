internal import CaptureModel
internal import GRDB
internal import StorageKit

/// The SELECT statement of a query: entries newest first.
struct IndexSelect {
    private var conditions: [String]
    private var arguments: [(any DatabaseValueConvertible)?] = []

    /// The start of a page: after this shot of this day.
    typealias Start = (day: String, id: ShotID)

    /// - Parameter cameras: The rows of the cameras that match the query, if it asks for files.
    init(_ query: ShotQuery, cameras: [Int64], before: Start?) {
        conditions = [query.isOfTakes ? "kind = 'take'" : "kind = 'shot'"]
        addPlace(query, before)
        add("realtimeNanoseconds >= ?", query.since)
        add("realtimeNanoseconds < ?", query.until)
        add("status", in: query.statuses.map(\.rawValue))
        add("instr(titleSearch, ?) > 0", query.title.map(ShotQuery.searchText))
        if let text = query.text, !text.isEmpty {
            conditions.append("textSearch <> ''")
            add("instr(textSearch, ?) > 0", ShotQuery.searchText(text))
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

    func rows(_ db: Database, _ columns: String) throws -> RowCursor {
        let sql =
            "SELECT \(columns) FROM entry WHERE \(conditions.joined(separator: " AND ")) ORDER BY day DESC, uuid DESC"
        return try Row.fetchCursor(db, sql: sql, arguments: StatementArguments(arguments))
    }

    /// Adds conditions that the order of the index satisfies at no cost.
    private mutating func addPlace(_ query: ShotQuery, _ before: Start?) {
        add("day >= ?", query.since.map(ShotDay.name(atRealtimeNanoseconds:)))
        add("day <= ?", query.until.map(ShotDay.name(atRealtimeNanoseconds:)))
        guard let before else { return }
        conditions.append("(day, uuid) < (?, ?)")
        arguments += [before.day, before.id.description]
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
            arguments += query.outcomes.map(\.rawValue).sorted()
        }
        conditions[index] += ")"
    }

    private mutating func add(_ condition: String, _ argument: (any DatabaseValueConvertible)?) {
        guard let argument else { return }
        conditions.append(condition)
        arguments.append(argument)
    }

    private mutating func add(_ column: String, in values: [String]) {
        guard !values.isEmpty else { return }
        conditions.append("\(column) IN (\(marks(values.count)))")
        arguments += values.sorted()
    }

    private func marks(_ count: Int) -> String {
        repeatElement("?", count: count).joined(separator: ",")
    }
}

extension CatalogueEntry {
    static let columns =
        "uuid, day, status, realtimeNanoseconds, expected, done, title, manifestStamp, annotationStamp"

    /// nil if the shot of the row could not be read.
    init?(_ row: Row) throws {
        guard let id = ShotID(try row.decode(String.self, forColumn: "uuid")),
            let word = try row.decode(String?.self, forColumn: "status"), let status = Shot.Status(rawValue: word)
        else { return nil }
        self.init(
            id: id, day: try row.decode(forColumn: "day"), status: status,
            realtimeNanoseconds: try row.decode(forColumn: "realtimeNanoseconds"),
            expected: try row.decode(forColumn: "expected"), done: try row.decode(forColumn: "done"),
            title: try row.decode(forColumn: "title"))
    }
}
