module Hub = Hub
