import CaptureModel
import Foundation
import Testing

@testable import CameraSettings

@Suite struct SettingMappingTests {
    @Test("Has one row for each setting, in order") func complete() {
        #expect(SettingMapping.all.map(\.setting) == CaptureSetting.allCases)
        #expect(SettingMapping.all.allSatisfy { $0.lost.hasSuffix(".") })
    }

    @Test("Is the table of docs/settings.md", arguments: SettingMapping.all) func documented(_ mapping: SettingMapping)
        throws
    {
        let page = try Self.page()
        #expect(page.contains("\n" + Self.row(mapping) + "\n"), "docs/settings.md lacks: \(Self.row(mapping))")
    }

    @Test("The page names every short name and unit") func words() throws {
        let page = try Self.page()
        for (short, setting) in CaptureSetting.shortNames {
            #expect(page.contains("`\(short)` (`\(setting.rawValue)`)"))
        }
        for unit in PhysicalUnit.allCases { #expect(page.contains("| `\(unit.rawValue)` |"), "\(unit)") }
    }

    private static func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        return try String(contentsOf: root.appending(path: "docs/settings.md"), encoding: .utf8)
    }

    /// The row of the page's table.
    static func row(_ mapping: SettingMapping) -> String {
        let cells = ["`\(mapping.setting.rawValue)`", values(mapping), controls(mapping), needs(mapping), mapping.lost]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func values(_ mapping: SettingMapping) -> String {
        switch mapping.target {
        case .modes(let words, _, let lock):
            let values = words.map { word in
                "\(word.mode.rawValue) = \(word.values.map(String.init).joined(separator: " or "))"
                    + (word.button.map { " and `\($0)`" } ?? "")
            }
            return (values + (lock.map { ["locked = bit \($0.bit) of `3a_lock`"] } ?? [])).joined(separator: ", ")
        default:
            switch mapping.setting.form {
            case .number(let unit?): return "`\(unit.rawValue)`"
            case .number(nil): return "no unit"
            case .position: return "0 to 1"
            case .gains: return "red, green, blue"
            case .point: return "x, y"
            case .format: return "`MJPG:1280x720`"
            case .frameDuration: return "`s`"
            case .mode: return ""
            }
        }
    }

    private static func controls(_ mapping: SettingMapping) -> String {
        switch mapping.target {
        case .stream: return "the stream"
        case .none: return "none"
        default: return mapping.controls.map { "`\($0)`" }.joined(separator: " ")
        }
    }

    private static func needs(_ mapping: SettingMapping) -> String {
        let texts = mapping.needs.map { need in
            let values = need.values.map(String.init).joined(separator: " or ")
            return "`\(need.controls[0])` \(values)" + (need.isImplied ? ", set first" : ", else refused")
        }
        return texts.isEmpty ? "–" : texts.joined(separator: "; ")
    }
}
