import Foundation

/// The sources that this test is built of.
enum SourceTree {
    /// - Parameter name: Of a file or folder, from the top of the sources on.
    static func path(_ name: String) -> String {
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/" + name
    }
}
