internal import CaptureModel

extension LeftOutDevices {
    /// The line behind a table that says what the command has left out; empty where there is nothing.
    static func remark(_ leftOut: LeftOutDevices?) -> String {
        leftOut.map { "left out: \(Table.printable($0.description))\n" } ?? ""
    }
}
