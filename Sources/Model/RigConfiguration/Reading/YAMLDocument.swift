import Yams

/// The parser of configuration files, and of other YAML files that people write.
public enum YAMLDocument {
    /// The most bytes of a configuration.
    public static let maximumByteCount = 1 << 20

    /// Reads the file's mapping with `read`.
    /// - Parameter folder: The folder to which relative paths in the file refer; nil leaves them as they are.
    /// - Throws: ``ConfigurationError`` with every problem found.
    public static func parse<Value>(
        _ text: String, file: String, folder: String? = nil, _ read: (YAMLMapping) -> Value?
    ) throws(ConfigurationError) -> Value {
        let problems = ProblemList(folder: folder)
        let value = root(of: text, problems)?.mapping().flatMap { mapping in
            let value = read(mapping)
            mapping.finish()
            return value
        }
        guard problems.isEmpty, let value else { throw ConfigurationError(file: file, problems: problems.sorted) }
        return value
    }

    private static func root(of text: String, _ problems: ProblemList) -> YAMLValue? {
        guard text.utf8.count <= maximumByteCount else {
            problems.add(.syntax, at: nil, key: "", "has more than \(maximumByteCount) bytes")
            return nil
        }
        guard YAMLAliases.count(in: text) <= YAMLAliases.limit else {
            problems.add(
                .syntax, at: nil, key: "",
                "has more than \(YAMLAliases.limit) words such as '*name', by which YAML refers to anchors; write out the values "
                    + "instead")
            return nil
        }
        do {
            if let node = try compose(yaml: text, .basic) {
                return YAMLValue(node: node, path: "", problems: problems)
            }
            problems.add(.syntax, at: nil, key: "", "is empty")
        } catch let error as YamlError {
            let (mark, reason) = place(error)
            problems.add(.syntax, at: mark, key: "", reason)
        } catch {
            problems.add(.syntax, at: nil, key: "", "cannot be read: \(error)")
        }
        return nil
    }

    private static func place(_ error: YamlError) -> (Mark?, String) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            (mark, "not YAML: \(problem)\(context.map { " (\($0.text), line \($0.mark.line))" } ?? "")")
        case .duplicatedKeysInMapping(let duplicates, let context):
            (context.mark, "has a key twice: \(duplicates.joined(separator: ", "))")
        case .reader(let problem, _, _, _):
            (nil, "not YAML: \(problem)")
        default:
            (nil, "not YAML: \(error)")
        }
    }
}

/// The problems found while a file is read, and the folder of its relative paths. Used within one call of `parse`, on one thread.
final class ProblemList {
    private var problems: [ConfigurationProblem] = []
    private let folder: String?

    init(folder: String?) { self.folder = folder }

    /// The path to which a path in the file refers.
    func resolved(_ path: String) -> String {
        guard let folder, !path.hasPrefix("/") else { return path }
        var rest = path[...]
        while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
        if rest.isEmpty || rest == "." { return folder }
        return folder.hasSuffix("/") ? folder + rest : "\(folder)/\(rest)"
    }

    var isEmpty: Bool { problems.isEmpty }

    func add(_ code: ConfigurationProblem.Code, at mark: Mark?, key: String, _ reason: String) {
        problems.append(
            ConfigurationProblem(code, line: mark?.line ?? 1, column: mark?.column ?? 1, key: key, reason: reason))
    }

    /// The problems in the order of the file.
    var sorted: [ConfigurationProblem] {
        problems.sorted { ($0.line, $0.column, $0.key) < ($1.line, $1.column, $1.key) }
    }
}

/// The aliases of a YAML text: references to an anchor (`*name`).
///
/// An alias represents all that its anchor holds, including further aliases. Nine lines can represent a thousand
/// million nodes. The parser stores each node once, but visits all of them if an alias is a key.
enum YAMLAliases {
    /// More than a configuration needs. This many aliases multiply a text by at most 81.
    static let limit = 12

    /// Returns the number of words that begin with `*` where a key or value may begin. In some texts this counts more
    /// than the parser would find.
    static func count(in text: String) -> Int {
        var (count, last, isPending) = (0, UInt8(ascii: "\n"), false)
        for byte in text.utf8 {
            if isPending, !Self.isBlank(byte) { count += 1 }
            isPending = byte == UInt8(ascii: "*") && Self.isBeforeNode(last)
            if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t") { last = byte }
        }
        return count
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(byte)
    }

    private static func isBeforeNode(_ byte: UInt8) -> Bool { "\r\n-?:[{,".utf8.contains(byte) }
}
