import UIKit

UIApplication.run(AppDelegate())
